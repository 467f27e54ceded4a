# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=maybe zswap.compressor=bogus zswap.max_pool_percent=33 zswap.accept_threshold_percent=-1
# Invalid values on the kernel's command line, then setup at run time.
. ./lib.sh
plan 7

point "enabled=maybe leaves zswap off" "$(cat $PARAM/enabled)" N
point "and is logged" "$(dmesg | grep -c '.maybe. invalid for parameter .zswap.enabled.')" 1
point "an unknown compressor waits for the setup" "$(cat $PARAM/compressor)" bogus
point "max_pool_percent=33 is taken" "$(cat $PARAM/max_pool_percent)" 33
point "accept_threshold_percent=-1 is not" "$(cat $PARAM/accept_threshold_percent)" 90
set_param enabled Y
default=$(cat $PARAM/compressor)
point "the setup falls back to the default compressor" \
	"$(dmesg | grep -c "zswap: compressor bogus not available, using default $default\$")" 1
swap_on brd
start a 0
with a map 1024 4
with a fill last 1
with a out
point "which works" "$(debug stored_pages) $(ask a check)" "1024 same 1024"
stop a
swap_off
