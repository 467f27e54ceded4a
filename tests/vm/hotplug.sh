# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# CPU 1 goes offline and online while it stores and loads pages.
. ./lib.sh
plan 4

cpu=/sys/devices/system/cpu/cpu1/online
swap_on brd
start a
start b
with a map 2048 4
with b map 2048 4
with a fill last 1
with b fill last 2
tell a cycle 0
tell b cycle 0
got=0
for _ in $(seq 32); do
	echo 0 > $cpu && [ "$(nproc)" = 1 ] && echo 1 > $cpu && got=$((got + 1))
done
: > /run/enough
point "CPU 1 down and up under load" "$got $(hear a) $(hear b)" "32 done done"
rm /run/enough

echo 0 > $cpu
set_param compressor zstd
with a out
point "a pool made while CPU 1 is down" "$(ask a check)" "same 2048"
echo 1 > $cpu
tell b cycle 2
point "serves it when it is up" "$(hear b) $(ask b check)" "done same 2048"
stop a
stop b
start a 1
with a map 1024 4
with a fill text 3
with a out
point "also alone" "$(debug stored_pages) $(ask a check)" "1024 same 1024"
stop a
swap_off
