# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# only: gcc
# The types of the kernel for BPF, and a module in Rust whose symbols have versions.
. ./lib.sh
plan 4

size=$(stat -c %s /sys/kernel/btf/vmlinux)
magic=$(od -A n -t x2 -N 2 /sys/kernel/btf/vmlinux | tr -d ' ')
point "the kernel's own types" "$magic $(true_that [ "$size" -ge 1000000 ])" "eb9f yes"
rmmod lz4_rust 2> /dev/null
point "the module says that it has versions" "$(strings ./lz4_rust.ko | grep -c -E '^vermagic=.* modversions |^__version_ext_crcs$')" 2
insmod ./lz4_rust.ko
point "the kernel takes its versions" "$(lsmod | grep -c lz4_rust) $(dmesg | grep -c 'symbol version for')" "1 0"
set_param compressor lz4-rust
swap_on virtio
start a 0
with a map 1024 4
with a fill text 1
with a out
point "and stores with it" "$(cat $PARAM/compressor) $(debug stored_pages) $(ask a check)" "lz4-rust 1024 same 1024"
stop a
swap_off
