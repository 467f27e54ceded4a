# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 movablecore=512M
# only: devices
# Blocks of memory go offline and come back while zswap has pages there, and CPU 1 with them.
. ./lib.sh
plan 4

for block in /sys/devices/system/memory/memory*; do
	! grep -q '^Movable' "$block/valid_zones" || echo "$block"
done > /run/blocks
# all STATE: how many of them have it afterwards
all()
{
	n=0
	while read -r block; do
		echo "$1" 2> /dev/null > "$block/state"
		[ "$(cat "$block/state")" != "$1" ] || n=$((n + 1))
	done < /run/blocks
	echo $n
}

swap_on brd
start a
with a map 16384 4
with a fill first 1
with a out
before=$(debug stored_pages)
count=$(wc -l < /run/blocks)
point "there are blocks of movable memory" "$(true_that [ "$count" -ge 2 ])" yes
tell a cycle 3
gone=0
for _ in 1 2 3 4; do
	n=$(all offline)
	gone=$((gone + n))
	echo 0 > /sys/devices/system/cpu/cpu1/online
	usleep 300000
	back=$(all online)
	echo 1 > /sys/devices/system/cpu/cpu1/online
done
point "blocks went offline under load, and all came back" "$(true_that [ $gone -gt 0 ]) $back" "yes $count"
point "every byte" "$before $(hear a), $(ask a check)" "16384 done, same 16384"
stop a
swap_off
point "nothing is left" "$(debug stored_pages)" 0
