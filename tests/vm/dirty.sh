# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# A load removes the entry from zswap and marks the folio dirty. On these devices the folio stays in
# the swap cache after a read, and reclaim would simply drop a clean one: only stale data on the
# disk would be left.
. ./lib.sh
plan 8

for swap in virtio file; do
	swap_on $swap
	start a 0
	with a map 2048 4
	with a fill text 1
	with a out
	with a in
	point "$swap: a load takes the entry out" "$(debug stored_pages)" 0
	stored=$(vmstat zswpout)
	point "$swap: pages that were only read leave again" "$(ask a out | cut -d' ' -f1)" 2048
	point "$swap: by another store" "$(($(vmstat zswpout) - stored))" 2048
	point "$swap: and read back" "$(ask a check)" "same 2048"
	stop a
	swap_off
done
