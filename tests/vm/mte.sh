# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=1 kunit.filter_glob=kasan.rust_uaf
# only: mte
# KASAN turns itself off on a machine without tags. The kernel's own test reads freed memory in Rust.
. ./lib.sh
plan 2

point "KASAN has tags" "$(dmesg | grep -c 'KernelAddressSanitizer initialized (hw-tags')" 1
point "it sees Rust read freed memory" "$(dmesg | grep -c 'BUG: KASAN: slab-use-after-free in kasan_test_rust_uaf')" 1
