# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# only: debugvm races debug c rust-zswap rust-cache
# What may happen to a slot while something else is under way with it, each held at a point of the
# code until the other has come. The device is small, so that the same slot can be had again.
. ./lib.sh
plan 37

swap_on virtio 16384
suite zswap_races
swap_off

point "nothing is left" "$(debug stored_pages) $(debug pool_total_size)" "0 0"
