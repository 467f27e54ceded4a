# SPDX-License-Identifier: GPL-2.0
# In the guest: the rows of `make bench`, by swapbench. The first word of each is
#
#   cache    the swap cache alone: zswap was never on
#   zswap    with zswap, and lz4
#   off      zswap was on, and has nothing
#   beside   zswap was on, and has pages of others, which its tree is not empty for
#
# delay=N on the kernel's command line moves all of it against the timer's ticks.
# shellcheck disable=SC2154 # delay is there
. ./lib.sh
. ./counted.sh

# bench WHAT KIB CONTENT: three rounds of it
bench()
{
	before=$(large "$2")
	swapbench "$1" "$2" "$3" 3 || exit 1
	[ "$2" = 4 ] || [ "$before" != "$(large "$2")" ] || { echo "swapbench: no folio of $2 KiB came"; exit 1; }
}

large() { [ "$1" = 4 ] || cat "$THP/hugepages-$1kB/stats/anon_fault_alloc"; }

# rows WHAT CONTENT...: for each size of a folio
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

# So many pages of its own that a CPU never has to fetch some: what that takes is up to what was freed when.
echo 8 > /proc/sys/vm/percpu_pagelist_high_fraction
# Small, so that all of it has been written to by the time that counts, and in one tree of zswap's.
swap_on brd 16384
mkdir /cg/bench
echo $$ > /cg/bench/cgroup.procs
# So much page cache that what comes back always counts as recently used: else it may or may not, by what was
# there before, and those who count it are called or not. The statistics take two seconds to know.
exec 8< /dev/vdb # kept open: the last one to close a device takes its page cache along
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
