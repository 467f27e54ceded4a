# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 zswap.compressor=zstd zswap.max_pool_percent=33 zswap.accept_threshold_percent=4294967295 zswap.shrinker_enabled=1
# Everything set on the kernel's command line.
. ./lib.sh
plan 6

point "enabled" "$(cat $PARAM/enabled)" Y
point "compressor" "$(cat $PARAM/compressor)" zstd
point "max_pool_percent" "$(cat $PARAM/max_pool_percent)" 33
point "accept_threshold_percent" "$(cat $PARAM/accept_threshold_percent)" 4294967295
point "shrinker_enabled" "$(cat $PARAM/shrinker_enabled)" Y
swap_on brd
start a 0
with a map 1024 4
with a fill last 1
with a out
point "and it works" "$(debug stored_pages) $(ask a check)" "1024 same 1024"
stop a
swap_off
