# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# only: rust
# Rust does the same random operations as C, in one kernel, with the same effects. No swap is on: the suites swap to a
# RAM disk of their own.
. ./lib.sh
plan 6

suite zswap_twins
suite swap_twins

point "nothing is left" "$(debug stored_pages) $(debug pool_total_size)" "0 0"
