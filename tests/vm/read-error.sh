# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0 transparent_hugepage=never kunit.enable=0
# only: docs/upstream/read-error.md
# The last sectors of a swap device can't be read: it is a partition that is cut off while it is used.
# C loses pages before them, too, which were read in the same request: see docs/upstream. That is C
# that both implementations share.
. ./lib.sh
plan 10

set_param enabled N

ahead() { echo "$1" > /proc/sys/vm/page-cluster; }
whole() { dev resize /dev/vda 1 1024 65536; }
# From slot 109 on; 104 to 111 are one window of readahead.
cut_off() { dev resize /dev/vda 1 1024 $((109 * 4)); }
begin() { mkswap $device > /run/mkswap && swapon $device && mkdir -p /cg/b; }

# swapped_out: 128 pages of a, in the slots from 1 on
swapped_out()
{
	begin
	start a
	with a map 128 4
	with a fill text 1
	with a out
	drop a
	cut_off
}
# read_by KIND: readers of each page, with readahead or without
read_by()
{
	ahead "$1"
	ask a readers
	drop a
}

device=/dev/vda1
dev add /dev/vda 1 1024 65536
lost="same 108, not 0, killed 20"
for rotates in 1 0; do
	[ $rotates = 1 ] && what="a device that rotates" || what="one that doesn't"
	echo $rotates > /sys/block/vda/queue/rotational
	swapped_out
	point "$what, no readahead: readers of 20 pages are killed" "$(read_by 0)" "$lost"
	point "with readahead: the same" "$(read_by 3)" "$lost"
	point "no readahead: the same" "$(read_by 0)" "$lost"
	ahead 3
	swapoff $device
	whole
	point "swapoff: the same pages are lost" "$(ask a readers)" "$lost"
	stop a
done

# unread: the pages of the file that can't be read
unread()
{
	n=0
	for i in $(seq 0 127); do
		dd if=/run/file bs=4096 skip="$i" count=1 of=/dev/null 2> /dev/null || n=$((n + 1))
	done
	echo $n
}
# on_tmpfs KIND: a file of 128 pages that is swapped out and read, with readahead or without; how many
# are lost, once the device is whole again
on_tmpfs()
{
	ahead "$1"
	begin
	sh -c 'echo $$ > /cg/b/cgroup.procs; yes not zero | head -c 524288 > /run/file'
	# Each CPU: its last pages are in a batch that only it puts on the list.
	for n in $(seq 20); do
		taskset -c $((n % 2)) sh -c 'echo 1M > /cg/b/memory.reclaim'
	done 2> /dev/null
	echo "$(awk 'NR > 1 { print $4 / 4 }' /proc/swaps) swapped out, $(soon 0 memcg_stat b swapcached) cached"
	cut_off
	unread > /run/unread
	whole
	echo "$(unread) lost"
	rm /run/file
	swapoff $device
}
echo 1 > /sys/block/vda/queue/rotational
gone="128 swapped out, 0 cached,20 lost"
point "tmpfs, no readahead: 20 pages are lost" "$(on_tmpfs 0 | paste -s -d ,)" "$gone"
point "with readahead: the same" "$(on_tmpfs 3 | paste -s -d ,)" "$gone"
