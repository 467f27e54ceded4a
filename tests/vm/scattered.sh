# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# Slots that are freed one by one: in random order, and of two processes whose slots alternate. The kernel
# frees adjacent slots of adjacent pages together otherwise.
. ./lib.sh
plan 20

# of CGROUP: the pages in zswap, and what its cgroup is charged
of() { echo "$(debug stored_pages), $(soon "$2" memcg_stat "$1" zswapped)"; }

for swap in brd virtio; do
	for kib in 4 64 2048; do
		swap_on $swap
		folios $kib
		start a 0
		with a map 1024 $kib
		with a fill text 1
		with a out
		point "$swap, $kib KiB: half is freed, in random order" \
			"$(ask a scatter $kib) of $(debug stored_pages), $(of a $((512 * 4096)))" "512 of 512, 512, $((512 * 4096))"
		point "$swap, $kib KiB: the other half reads back" \
			"$(ask a check), $(of a 0), $(soon 0 memcg a zswap.current)" "same 1024, 0, 0, 0"
		stop a
		swap_off
	done
done

# alternate KIND: a's and b's pages are swapped out in turn; b's are of that kind. Leaves in turns how many
# of each have a slot two after that of the page before, and what is stored.
alternate()
{
	start a 0
	start b 0
	with a map 128 4
	with b map 128 4
	with a fill text 1
	with b fill "$1" 2
	for page_of_both in $(seq 0 127); do
		with a push "$page_of_both"
		with b push "$page_of_both"
	done
	turns="$(ask a apart 2) $(ask b apart 2), $(debug stored_pages) raw $(debug stored_incompressible_pages)"
}

folios 4
for swap in brd virtio; do
	swap_on $swap
	alternate random
	point "$swap: slots alternate" "$turns" "127 127, 256 raw 128"
	with a unmap
	point "$swap: one process frees its slots: the other's stay" \
		"$(of a 0) raw $(debug stored_incompressible_pages), $(soon $((128 * 4096)) memcg b zswap.current)" \
		"128, 0 raw 128, $((128 * 4096))"
	point "$swap: and read back" "$(ask b check), $(of b 0)" "same 128, 0, 0"
	stop a
	stop b
	alternate text
	point "$swap: slots alternate again, and one process frees half of its slots, in random order" \
		"$turns, $(ask b scatter 5), $(of b $((64 * 4096))), $(ask a check) $(ask b check)" \
		"127 127, 256 raw 0, 64, 192, $((64 * 4096)), same 128 same 128"
	stop a
	stop b
	swap_off
done
