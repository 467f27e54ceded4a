# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# swapoff with stored pages brings back all of them.
. ./lib.sh
plan 5

for swap_name in brd virtio file; do
	start a 0
	with a map 2048 4
	got='' want=''
	for round in 1 2 3; do
		swap_on $swap_name
		with a fill last $round
		with a out
		loaded=$(vmstat zswpin)
		swap_off
		got="$got$(ask a swapped) swapped, $(($(vmstat zswpin) - loaded)) loaded, $(debug stored_pages) left, $(ask a check); "
		want="${want}0 swapped, 2048 loaded, 0 left, same 2048; "
	done
	stop a
	point "swapon, store, swapoff in a loop on $swap_name" "$got" "$want"
done

# Two devices: the first is full when the second gets pages.
start a 0
with a map 1024 4
with a fill text 4
swap_on brd 8192
small=$device
with a out
start b 0
with b map 2048 4
with b fill text 5
swap_on virtio
with b out
swapoff $small
point "swapoff of one device leaves the other's pages" \
	"$(ask a swapped) and $(true_that [ "$(ask b swapped)" -gt 1000 ]) swapped, $(ask a check), $(ask b check)" \
	"0 and yes swapped, same 1024, same 2048"
stop a
stop b
swap_off

swap_on brd
start a
with a map 2048 4
with a fill last 6
tell a cycle 6
rounds=0
while [ $rounds != 5 ] && swap_off && swap_on brd; do
	rounds=$((rounds + 1))
done
point "swapoff and swapon under load" "$rounds, $(hear a), $(ask a check)" "5, done, same 2048"
stop a
swap_off
