# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# A full pool refuses pages; these go to the disk, and nothing is lost.
. ./lib.sh
plan 7

for kib in 4 64; do
	folios $kib
	set_param max_pool_percent 1 # 10 MiB of 1 GiB
	swap_on virtio
	hits=$(debug pool_limit_hit) to_disk=$(vmstat pswpout) stored=$(vmstat zswpout)
	start a 0
	with a map 8192 $kib
	with a fill random 1
	with a out
	to_disk=$(($(vmstat pswpout) - to_disk)) stored=$(($(vmstat zswpout) - stored))
	point "$kib KiB: the limit is hit" "$(true_that [ "$(debug pool_limit_hit)" -gt "$hits" ])" yes
	point "$kib KiB: what isn't stored goes to the disk" \
		"$(true_that [ $stored -gt 1000 ]) $(true_that [ $to_disk -gt 1000 ]) $(true_that [ $((stored + to_disk)) -ge 8192 ])" \
		"yes yes yes"
	drop a
	from_disk=$(vmstat pswpin)
	point "$kib KiB: all of it reads back, part of it from the disk" \
		"$(ask a check), $(true_that [ $(($(vmstat pswpin) - from_disk)) -gt 1000 ])" "same 8192, yes"
	stop a
	swap_off
done

set_param max_pool_percent 20
swap_on virtio
start a 0
with a map 1024 4
with a fill text 2
with a out
point "an emptied pool takes pages again" "$(debug stored_pages)" 1024
stop a
swap_off
