# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 no_console_suspend
# only: devices
# Suspend to memory, and each stage of it and of suspend to idle, with pages in zswap and a process that swaps. (From suspend
# to idle nothing would wake this guest: while QEMU's machine is on, its RTC raises no ACPI event.)
. ./lib.sh
plan 7

swap_on virtio
start a
with a map 4096 4
with a fill last 1
with a out

# suspend STAGE STATE: a's pages are loaded, compared and stored while the kernel suspends
suspend()
{
	echo "$1" > /sys/power/pm_test
	tell a cycle 0
	dmesg -c > /run/dmesg
	[ "$1" != none ] || echo +20 > /sys/class/rtc/rtc0/wakealarm
	echo "$2" > /sys/power/state
	status=$?
	entered=$(dmesg | grep -c 'PM: suspend entry')
	point "suspend to $2, as far as $1" "$status $entered $(enough a), $(ask a check)" "0 1 done, same 4096"
	with a out
}
echo deep > /sys/power/mem_sleep
for stage in freezer devices platform; do
	suspend $stage freeze
done
for stage in processors core; do
	suspend $stage mem
done
suspend none mem
stop a
swap_off
point "nothing is left" "$(debug stored_pages)" 0
