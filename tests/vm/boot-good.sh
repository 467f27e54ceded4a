# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 zswap.compressor=zstd zswap.max_pool_percent=33 zswap.accept_threshold_percent=4294967295 zswap.shrinker_enabled=1 rust_param_test.probe=word
# Everything set on the kernel's command line.
. ./lib.sh
plan 7

point "enabled" "$(cat $PARAM/enabled)" Y
point "compressor" "$(cat $PARAM/compressor)" zstd
point "max_pool_percent" "$(cat $PARAM/max_pool_percent)" 33
point "accept_threshold_percent" "$(cat $PARAM/accept_threshold_percent)" 4294967295
point "shrinker_enabled" "$(cat $PARAM/shrinker_enabled)" Y
# A parameter of the KUnit suite rust_module_param_runtime, whose setter must not run before mm is up.
probe=/sys/module/rust_param_test/parameters/probe
if [ -e $probe ]; then
	point "and no setter was called for it" "$(cat $probe)" word
else
	skip "and no setter was called for it" "only a kernel with zswap in Rust and KUnit has the parameter"
fi
swap_on brd
start a 0
with a map 1024 4
with a fill last 1
with a out
point "and it works" "$(debug stored_pages) $(ask a check)" "1024 same 1024"
stop a
swap_off
