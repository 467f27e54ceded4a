# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 movablecore=512M
# only: devices
# Blocks of memory go offline and come back while zswap has pages there, and CPU 1 with them.
. ./lib.sh
plan 5

# The kernel takes no block with a hole: the last has QEMU's.
for block in $(ls -d /sys/devices/system/memory/memory[0-9]* | sort -V | sed '$d'); do
	! grep -q '^Movable' "$block/valid_zones" || echo "$block"
done > /run/blocks
# all STATE: puts them in it; how many are
all()
{
	n=0
	while read -r block; do
		echo "$1" 2> /dev/null > "$block/state"
		[ "$(cat "$block/state")" != "${1%_movable}" ] || n=$((n + 1))
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
zspages=$(awk '/, zone/ { zone = $4 } zone == "Movable" && $1 == "nr_zspages" { print $2 }' /proc/zoneinfo)
point "there are blocks of movable memory, with zsmalloc's pages" "$(true_that [ "$count" -ge 2 ]) $(true_that [ "$zspages" -ge 100 ])" "yes yes"
tell a cycle 0
gone='' cpus='' back=''
for _ in 1 2 3 4; do
	gone="$gone$(all offline) "
	echo 0 > /sys/devices/system/cpu/cpu1/online
	cpus="$cpus$(cat /sys/devices/system/cpu/online) "
	usleep 300000
	back="$back$(all online_movable) "
	echo 1 > /sys/devices/system/cpu/cpu1/online
	cpus="$cpus$(cat /sys/devices/system/cpu/online) "
done
all="$count $count $count $count "
point "all blocks went offline under load, and came back, four times" "$gone$back" "$all$all"
point "CPU 1 went meanwhile, and came back" "$cpus" "0 0-1 0 0-1 0 0-1 0 0-1 "
point "every byte" "$before $(enough a), $(ask a check)" "16384 done, same 16384"
stop a
swap_off
point "nothing is left" "$(debug stored_pages)" 0
