# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 movablecore=512M
# only: devices
# Blocks of memory go offline and come back while zswap has pages there, and CPU 1 with them.
. ./lib.sh
plan 5

for block in /sys/devices/system/memory/memory*; do
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
point "there are blocks of movable memory" "$(true_that [ "$count" -ge 2 ])" yes
tell a cycle 0
gone='' cpus='' back=''
for _ in 1 2 3 4; do
	gone="$gone$(all offline) "
	echo 0 > /sys/devices/system/cpu/cpu1/online
	cpus="$cpus$(cat /sys/devices/system/cpu/online) "
	usleep 300000
	back="$back$(all online_movable) "
	echo 1 > /sys/devices/system/cpu/cpu1/online
done
echo "# of $count blocks went offline: $gone"
# One whose pages can't all be moved in time stays.
most=$(echo "$gone" | tr ' ' '\n' | sort -n | tail -n 1)
point "all blocks but one went offline under load, and all came back" \
	"$(true_that [ "$most" -ge $((count - 1)) ]) $back" "yes $count $count $count $count "
point "CPU 1 went meanwhile" "$cpus" "0 0 0 0 "
point "every byte" "$before $(enough a), $(ask a check)" "16384 done, same 16384"
stop a
swap_off
point "nothing is left" "$(debug stored_pages)" 0
