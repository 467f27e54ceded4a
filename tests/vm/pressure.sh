# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# Real reclaim: a cgroup too small for its process, and also charged for what zswap stores.
. ./lib.sh
plan 6

for swap in brd virtio file; do
	swap_on $swap
	for kib in 4 64; do
		folios $kib
		start a
		echo 20M > /cg/a/memory.max
		stored=$(vmstat zswpout)
		with a map 6144 $kib
		with a fill last 1
		first=$(ask a check)
		with a fill last 2
		point "$swap, $kib KiB: 24 MiB of data in 20 MiB of memory" \
			"$first, $(ask a check), $(true_that [ $(($(vmstat zswpout) - stored)) -gt 2048 ])" \
			"same 6144, same 6144, yes"
		stop a
	done
	swap_off
done
