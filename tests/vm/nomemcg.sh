# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 cgroup_disable=memory
# No memory cgroups: nothing to charge.
. ./lib.sh
plan 7

point "there are no memory cgroups" "$(true_that [ -e /cg/memory.stat ])" no
for swap in brd virtio; do
	swap_on $swap
	for kib in 4 64 2048; do
		folios $kib
		start a 0
		with a map 2048 $kib
		with a fill last 1
		with a out
		stored=$(debug stored_pages)
		with a in
		point "$swap, folios of $kib KiB" "$stored $(ask a check) $(debug stored_pages)" "2048 same 2048 0"
		stop a
	done
	swap_off
done
