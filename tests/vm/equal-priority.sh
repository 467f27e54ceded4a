# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0 transparent_hugepage=never kunit.enable=0
# only: docs/upstream/equal-priority.md
# Swap devices of the same priority share the pages. One that rotates gets one page for each cluster of
# the other, and two of them get every other page: see docs/upstream. That is C that both
# implementations share.
. ./lib.sh
plan 4

set_param enabled N

# swap_to ROTATES ROTATES: 8192 pages, to vda and vdb; sets first, the pages on vda, and requests
swap_to()
{
	for disk in vda vdb; do
		echo "$1" > /sys/block/$disk/queue/rotational
		mkswap /dev/$disk > /run/mkswap && dev swapon /dev/$disk 5
		shift
	done
	before=$(vmstat nrswpout)
	start a
	with a map 8192 4
	with a fill text 1
	with a out
	requests=$(($(vmstat nrswpout) - before))
	first=$(awk '$1 == "/dev/vda" { print $4 / 4 }' /proc/swaps)
	second=$(awk '$1 == "/dev/vdb" { print $4 / 4 }' /proc/swaps)
	echo "guest pages $first and $second, $requests requests"
	stop a
	swapoff /dev/vda
	swapoff /dev/vdb
}
# about_half: whether each device has 3/8 of the pages or more
about_half() { true_that [ $((first >= 3072 && second >= 3072)) = 1 ]; }

swap_to 0 0
point "two devices that don't rotate have about half each" "$(about_half)" yes
swap_to 1 0
point "one that rotates and one that doesn't have about half each" "$(about_half)" yes
swap_to 1 1
point "two that rotate have about half each" "$(about_half)" yes
point "and are written in requests of several pages" "$(true_that [ "$requests" -lt 4096 ])" yes
