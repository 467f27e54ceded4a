# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# Swapped pages that KSM has merged: many users share a slot, and a swap-in may copy.
. ./lib.sh
. ./users.sh
plan 3

for swap in brd virtio file; do
	on $swap "$([ $swap = brd ] && echo Y || echo N)"
	scene "$where: merge, swap out and in, write, merge again, unmerge" \
		"merged 543, out 1024, merged again yes, unmerged 0, same" ksm
	swap_off
done
