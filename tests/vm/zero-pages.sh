# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# only: rust plain-rust
# Pages of zeroes in large folios: their slots get the zero mark, and zswap keeps nothing for them. (C marks a
# folio only if all its pages are zeroes; of these, every fourth page is not.)
. ./lib.sh
. ./writeback-paths.sh
plan 27

events="swpout_zero zswpout swpin_zero zswpin"
mark() { for event in $events; do eval "$event=$(vmstat $event)"; done; }
grew() { for event in $events; do echo "$(($(vmstat "$event") - event))"; done | xargs; }
counts() { for event in $events; do memcg_stat a "$event"; done | xargs; }

for swap in brd virtio; do
	for kib in 16 64 2048; do
		swap_on $swap
		folios $kib
		start a 0
		with a map 1024 $kib
		with a fill holes 1
		mark
		with a out
		point "$swap, $kib KiB: zswap keeps the other pages" \
			"$(ask a swapped), $(debug stored_pages), $(grew)" "1024, 256, 768 256 0 0"
		point "$swap, $kib KiB: and all come back" \
			"$(ask a check) $(debug stored_pages), $(grew)" "same 1024 0, 768 256 768 256"
		point "$swap, $kib KiB: the cgroup sees the same" \
			"$(soon "768 256 768 256" counts)" "768 256 768 256"
		with a fill text 2
		with a out
		with a in
		with a fill holes 3
		with a out
		point "$swap, $kib KiB: what was text before" "$(ask a check)" "same 1024"
		stop a
		swap_off
	done
done

swap_on virtio
folios 64
start a 0
with a map 1024 64
with a fill holes 4
with a out
folios 4
start_pusher a
by_shrinker
point "written back, and read from the device" \
	"$(true_that [ "$(debug stored_pages)" -lt 64 ]) $(ask a check)" "yes same 1024"
stop b
with a fill holes 5
with a out
swap_off
point "brought back by swapoff" "$(ask a swapped), $(ask a check), $(debug stored_pages)" "0, same 1024, 0"
swap_on virtio
with a fill holes 6
with a out
with a unmap
point "given back" "$(debug stored_pages) $(soon 0 memcg_stat a zswapped)" "0 0"
stop a
swap_off
