# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# userfaultfd, mincore(), madvise(MADV_WILLNEED), compaction and swapoff, with swapped pages.
. ./lib.sh
. ./users.sh
plan 22

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
