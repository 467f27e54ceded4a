# SPDX-License-Identifier: GPL-2.0
# In the guest: the rows of `make bench`, by swapbench. The first word of each is
#
#   cache    the swap cache alone: zswap was never enabled
#   zswap    with zswap, and lz4
#   virtio   the same above virtio-blk, to which no page is written
#   off      zswap was enabled before, and is empty
#   beside   zswap was enabled before, and has other pages in the same tree
#
# delay=N on the kernel's command line shifts the measurement relative to the timer's ticks.
# shellcheck disable=SC2154 # delay is there
. ./lib.sh
. ./counted.sh

# bench WHAT KIB CONTENT: runs three rounds
bench()
{
	before=$(large "$2")
	swapbench "$1" "$2" "$3" 3 || exit 1
	[ "$2" = 4 ] || [ "$before" != "$(large "$2")" ] || { echo "swapbench: no folio of $2 KiB came"; exit 1; }
}

large() { [ "$1" = 4 ] || cat "$THP/hugepages-$1kB/stats/anon_fault_alloc"; }

# rows WHAT CONTENT...: runs it for each folio size
rows()
{
	what=$1; shift
	for kib in 4 64 2048; do
		folios $kib
		for content in "$@"; do
			bench "$what" $kib "$content"
		done
	done
}

prove_unit swapbench

i=0
while [ $i -lt $((delay * 1000)) ]; do
	i=$((i + 1))
done

# So many per-CPU free pages that a CPU never has to refill them: the cost of a refill depends on
# what was freed when.
echo 8 > /proc/sys/vm/percpu_pagelist_high_fraction
# Small, so that the warm-up rounds write to all of it, and so that it fits into one tree of zswap.
swap_on brd 16384
mkdir /cg/bench
echo $$ > /cg/bench/cgroup.procs
# So much page cache that a refaulted page always counts as recently used: otherwise that depends on
# earlier activity, and with it the cost. The statistics lag by two seconds.
exec 8< /dev/vdb # kept open: the last close of a device drops its page cache
dd of=/dev/null bs=1M count=16 <&8 2> /run/dd
usleep 2500000
cached=$(memcg_stat bench inactive_file)
[ "$cached" -ge 16000000 ] || { echo "swapbench: $cached bytes of page cache, not 16 MiB"; exit 1; }
folios 4
swapbench warm 4 random 10 > /run/warm || { cat /run/warm; exit 1; }

rows cache zero random
set_param compressor lz4
set_param enabled Y
rows zswap same random
for kib in 64 2048; do
	folios $kib
	bench zswap $kib holes
	bench zswap $kib text
done
folios 4
bench zswap 4 text
set_param enabled N
rows off random

set_param enabled Y
folios 4
start other
with other map 16 4
with other fill text 1
with other out
set_param enabled N
[ "$(debug stored_pages)" = 16 ] || { echo "swapbench: zswap has $(debug stored_pages) pages, not 16"; exit 1; }
rows beside random
stop other

# Last: the slots of a device that was on before would not lie as those of brd.
swap_off
swap_on virtio 16384
set_param enabled Y
folios 4
for content in same random text; do
	bench virtio 4 $content
done
folios 64
for content in same random text; do
	bench virtio 64 $content
done
