# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# Processes that share, copy and exit with stored pages.
. ./lib.sh
plan 9

for swap in brd virtio; do
	swap_on $swap
	for kib in 4 64; do
		folios $kib
		start a 0
		with a map 2048 $kib
		with a fill last 1
		with a out
		point "$swap, $kib KiB: a child and its parent share, then part" "$(ask a fork)" "done"
		with a out
		point "$swap, $kib KiB: exit frees what is stored" "$(stop a) $(debug stored_pages)" " 0"
	done
	swap_off
done

swap_on brd
start a 0
with a map 4096 4
with a fill text 2
with a out
stored=$(debug stored_pages)
killall -9 mem
answer=$(hear a)
wait
point "so does a kill" "$stored $answer $(debug stored_pages)" "4096 ended 137 0"
