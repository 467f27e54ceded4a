#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# demo.sh [corpus]: the demonstration: a booted guest swaps real data out through zswap and back, and compares each
# byte. COMPRESSOR names the compressor, IMPL the kernel. With corpus, only makes the disk of that data,
# build/vm/corpus-KERNEL.img, from the kernel and its source.
. "$(dirname "$0")/lib.sh"

impl=${IMPL:-rust}
vmlinux=$(make -s where IMPL="$impl" | sed -n 's/^vmlinux=//p')
[ -e "$vmlinux" ] || die "no vmlinux: run make kernel IMPL=$impl"
corpus=build/vm/corpus-$prefix${VARIANT:-$impl}.img
lock "build/log/corpus-$prefix${VARIANT:-$impl}.lock"
if ! [ "$corpus" -nt "$vmlinux" ] || ! [ "$corpus" -nt scripts/data.py ]; then
	mkdir -p build/vm
	step corpus scripts/enter.sh python3 scripts/data.py corpus "$corpus" "$(pristine)" "$vmlinux" "${PAGES:-4}"
fi
exec 9>&-
[ "${1:-}" != corpus ] || exit 0
scripts/vm.sh -n "${prefix}demo" -d "$TOP/$corpus" sh demo.sh "${COMPRESSOR:-lz4}" ||
	die "make run failed: $(grep '^FAILED' "build/log/${prefix}demo.out" || echo "see build/log/${prefix}demo.console")"
# in_rust NAME: whether the log says that its implementation is the one in Rust
in_rust() { grep -q "$1: Rust implementation" "build/log/${prefix}demo.out"; }
case $impl in rust | rust-zswap) in_rust zswap ;; *) ! in_rust zswap ;; esac &&
	case $impl in rust | rust-cache) in_rust swap_cache ;; *) ! in_rust swap_cache ;; esac ||
	die "make run: the kernel's log does not name the implementations of IMPL=$impl"
