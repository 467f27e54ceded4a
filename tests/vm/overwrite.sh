# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# Repeated stores to the same slots. A refused store must leave no older entry in any slot of the
# folio: it would be read back in place of the newer data.
. ./lib.sh
plan 28

# leave_old_entries KIB: gives worker a pages that are in memory but still have an entry in their
# slot. That takes a read during a store, so it is retried.
leave_old_entries()
{
	folios "$1"
	start a
	with a map 2048 "$1"
	with a fill text 1
	enough=16
	for try in $(seq 1000); do
		with a race 2
		old=$(($(debug stored_pages) - $(ask a swapped)))
		[ $old -le $enough ] || break
		[ "$try" -lt 100 ] || enough=0 # two CPUs of a busy host rarely run at once
	done
	point "$1 KiB: pages in memory with an entry" "$(true_that [ $old -gt 0 ])" yes
}

swap_on virtio
for kib in 4 64; do
	# What the points below rely on: MADV_PAGEOUT skips pages in another CPU's batch.
	folios $kib
	start a 0
	with a map 2000 $kib
	with a fill text 1
	with a out
	point "$kib KiB: pages that another CPU brought back go out" "$(ask a away 1 | cut -d' ' -f1)" 2000
	stop a

	leave_old_entries $kib
	with a fill text 2
	with a out
	point "$kib KiB: stored again, one entry a slot" "$(ask a swapped), $(debug stored_pages)" "2048, 2048"
	point "$kib KiB: the newer data reads back" "$(ask a check)" "same 2048"
	stop a

	leave_old_entries $kib
	with a fill text 3
	set_param enabled N
	with a out
	point "$kib KiB: refused while disabled, no entry left" "$(ask a swapped), $(debug stored_pages)" "2048, 0"
	drop a
	disk=$(vmstat pswpin)
	point "$kib KiB: the newer data reads back from the disk" \
		"$(ask a check), $(true_that [ $(($(vmstat pswpin) - disk)) -gt 1800 ])" "same 2048, yes"
	set_param enabled Y
	stop a

	leave_old_entries $kib
	with a fill text 4
	set_param max_pool_percent 0
	with a out
	point "$kib KiB: refused by the limit, no entry left" "$(ask a swapped), $(debug stored_pages)" "2048, 0"
	drop a
	disk=$(vmstat pswpin)
	point "$kib KiB: the newer data reads back from the disk" \
		"$(ask a check), $(true_that [ $(($(vmstat pswpin) - disk)) -gt 1800 ])" "same 2048, yes"
	set_param max_pool_percent 20
	stop a

	leave_old_entries $kib
	echo 0 > /cg/a/memory.zswap.max
	with a fill text 5
	with a out
	point "$kib KiB: refused by the cgroup, no entry left" "$(ask a swapped), $(debug stored_pages)" "2048, 0"
	drop a
	disk=$(vmstat pswpin)
	point "$kib KiB: the newer data reads back from the disk" \
		"$(ask a check), $(true_that [ $(($(vmstat pswpin) - disk)) -gt 1800 ])" "same 2048, yes"
	stop a
done

# The last page of each folio is refused, as an incompressible page is with writeback disabled; the
# 15 before it are stored by then.
for kib in 64 2048; do
	folios $kib
	start a 0
	echo 0 > /cg/a/memory.zswap.writeback
	with a map 2048 $kib
	with a fill last 5
	refused=$(debug reject_compress_fail)
	with a out
	point "$kib KiB: failing at a later page leaves no entry" \
		"$(true_that [ "$(debug reject_compress_fail)" -gt "$refused" ]) $(debug stored_pages) $(ask a check)" \
		"yes 0 same 2048"
	stop a
done
swap_off
