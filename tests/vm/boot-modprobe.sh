# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 zswap.compressor=nosuch
# At boot the kernel waits for modprobe to load the compressor. A modprobe that needs param_lock must not wait for zswap.
. ./lib.sh
plan 4

default=$(cat $PARAM/compressor)
point "modprobe has read a parameter of built-in code" "$(cat /modprobe)" Y
point "the boot falls back to the default compressor" \
	"$(dmesg | grep -c "zswap: compressor nosuch not available, using default $default\$")" 1
point "zswap is enabled" "$(cat $PARAM/enabled)" Y
swap_on brd
start a 0
with a map 1024 4
with a fill last 1
with a out
point "and works" "$(debug stored_pages) $(ask a check)" "1024 same 1024"
stop a
swap_off
