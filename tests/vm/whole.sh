# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 zswap.large_swapin=Y kunit.autorun=0
# only: rust plain-rust
# Swap-ins that zswap fills as a whole, by the functions that do it.
. ./lib.sh
plan 13

dmesg -c > /run/dmesg
fails=$(debug large_load_fail) loads=$(debug large_loads)
swap_on virtio
suite zswap_large
swap_off
point "failed loads are counted" "$(($(debug large_load_fail) - fails))" 16
point "so are the others" "$(true_that [ $(($(debug large_loads) - loads)) -gt 100 ])" yes
