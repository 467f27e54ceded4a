# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# Swapped pages with other users: fork() after or during swap-out, KSM, userfaultfd, mincore(), madvise(MADV_WILLNEED),
# compaction and swapoff.
. ./lib.sh
. ./users.sh
plan 37

forks()
{
	scene "$where: fork with all swapped, and more users than a swap-table entry counts" \
		"out 256, again 256, children 40, out 256, same" fork
	scene "$where: copy on write of what parent and child have swapped" \
		"out 1024, again 1024, child 1, same" cow
	[ $zswap = N ] || scene "$where: fork while it is swapped" "children 12, same" forking
}
on_each_swap forks

# Many users share a slot, and a swap-in may copy.
for swap in brd virtio file; do
	on $swap "$([ $swap = brd ] && echo Y || echo N)"
	scene "$where: merge, swap out and in, write, merge again, unmerge" \
		"merged 543, out 1024, merged again yes, unmerged 0, same" ksm
	swap_off
done

userfaultfd_and_mincore()
{
	scene "$where: userfaultfd: copy, protect, missing" \
		"missing 256, out 256, copy: File exists, missing 256, protected 64, missing 384, same" uffd
	scene "$where: userfaultfd: move" \
		"swapped 192, cached yes, moved 192, out 256, same" uffd-move
	scene "$where: mincore() and MADV_WILLNEED" \
		"there 0, there 256, cached 256, major 0, same" willneed
	scene "$where: mincore() and MADV_WILLNEED of shared memory" \
		"there 0, there 256, cached 256, major 0, same" willneed-shared
}
on_each_swap userfaultfd_and_mincore

folios 2048
on virtio N
scene "$where: compaction moves what is in the swap cache" \
	"there 8192, swapped 8192, cached 8192, moved yes, cached 8192, out 8192, same" compact
swap_off
folios 4
on virtio Y
scene "$where: swapoff with everything swapped" "there 0, swapped 0, cached 0, child 1, same" swapoff $device
