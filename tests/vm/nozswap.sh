# SPDX-License-Identifier: GPL-2.0
# boot: kunit.enable=0
# only: nozswap
# The swap cache by itself, in a kernel without zswap.
. ./lib.sh
plan 8

point "there is no zswap" "$(true_that [ -e /sys/module/zswap ]) $(grep -c zswap /proc/vmstat)" "no 0"
for swap in brd virtio; do
	swap_on $swap
	for kib in 4 64 2048; do
		folios $kib
		start a 0
		with a map 2048 $kib
		with a fill last 1
		out=$(vmstat pswpout) in=$(vmstat pswpin)
		with a out
		out=$(($(vmstat pswpout) - out))
		# Written pages stay in the swap cache at first.
		echo 16M > /cg/a/memory.reclaim 2> /dev/null
		with a in
		point "$swap, folios of $kib KiB: out, in" \
			"$out $(($(vmstat pswpin) - in)) $(ask a check)" "2048 2048 same 2048"
		stop a
	done
	swap_off
done

point "nothing is left" "$(awk '$1 == "SwapCached:" { print $2 }' /proc/meminfo)" 0
