# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 cgroup1=1
# only: devices
# cgroup v1: no cgroup is charged for what zswap has, and its limits apply to memory and swap.
. ./lib.sh
plan 8

grep -q '^cgroup /cg cgroup ' /proc/mounts || { echo "Bail out! /cg isn't of cgroup v1"; exit 1; }
# C has no large loads.
loads() { debug large_loads 2> /dev/null || echo 0; }
for swap in brd virtio; do
	swap_on $swap
	for kib in 4 64; do
		folios $kib
		start a 0
		with a map 1024 $kib
		with a fill last 1
		before=$(memcg a usage_in_bytes)
		out=$(vmstat zswpout) large=$(loads)
		with a out
		point "$swap, folios of $kib KiB: stored, uncharged, and back page by page" \
			"$(($(vmstat zswpout) - out)) $(true_that [ $((before - $(memcg a usage_in_bytes))) -ge 3500000 ]) $(ask a check) $(($(loads) - large))" "1024 yes same 1024 0"
		stop a
	done
	start a 0
	echo 2M > /cg/a/memory.limit_in_bytes
	with a map 1024 4
	out=$(vmstat zswpout)
	with a fill text 2
	point "$swap: over its limit" "$(true_that [ $(($(vmstat zswpout) - out)) -ge 400 ]) $(ask a check)" "yes same 1024"
	stop a
	start a 0
	echo 2M > /cg/a/memory.limit_in_bytes
	echo 3M > /cg/a/memory.memsw.limit_in_bytes
	with a map 1024 4
	point "$swap: over its limit of memory and swap" "$(ask a fill text 2)" "ended 137"
	stop a
	swap_off
done
