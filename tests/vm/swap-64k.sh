# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0 kunit.enable=1
# Swap-in of large folios: only if zswap was never enabled, and the device is as fast as memory. The
# last test of its boot: later tests enable zswap. And its boot is as one by hand, in that nothing asks for
# KUnit suites.
. ./lib.sh
. ./users.sh
plan 19

point "no KUnit suite has run" "$(dmesg | grep -c 'KTAP version')" 0
point "zswap was never on" "$(true_that [ -e $DEBUG ])" no
swap_on brd
for kib in 16 32 64 256 1024; do
	folios $kib
	scene "folios of $kib KiB" "out 1024, back 1024 in $((4096 / kib)), out 1024, same" large $kib
done
echo never > $THP/hugepages-1024kB/enabled

folios 64
scene "pages of 4 KiB in adjacent slots come back as one folio" "out 160, whole, same" lined-up any
scene "so do pages that are all zero" "out 160, whole, same" lined-up zero
scene "pages of which one is zero don't" "out 160, one by one, same" lined-up one-zero
scene "nor do those of two cgroups" "out 160, theirs 80, one by one, left 0, same" two-cgroups
scene "one is back already" "out 1024, whole 0, same" one-is-back
scene "no memory for a large folio" "out 1024, whole 0, fallback 64, same" fallback
scene "no room for one in the cgroup" "out 1024, charge fallback yes, same" over-limit

for size in "$THP"/hugepages-*kB/shmem_enabled; do
	echo never > "$size"
done
echo always > $THP/hugepages-64kB/shmem_enabled
scene "shared memory" "there 0, in 64, same" large-shared 64
scene "shared memory with holes" "there 0, there 0, child 1, same" shared
echo never > $THP/hugepages-64kB/shmem_enabled

folios 64
swap_off
swap_on brd
scene "swapoff with everything swapped" \
	"there 0, swapped 0, cached 0, child 1, same" swapoff $device
swap_on virtio
scene "a disk reads page by page" "out 1024, back 64 in 0, out 1024, same" large 64
swap_off
swap_on file
# Folios are split for it, and what is zero becomes the zero page then.
scene "so does a swap file" "out 960, back 128 in 0, out 982, same" large 64
swap_off
