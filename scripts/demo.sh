#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demonstration: a booted guest swaps real data out through zswap and back, and compares each
# byte. COMPRESSOR names the compressor, IMPL the kernel.
. "$(dirname "$0")/lib.sh"

impl=${IMPL:-rust}
scripts/corpus.sh
corpus=build/vm/corpus-$prefix$impl.img
scripts/vm.sh -n "${prefix}demo" -d "$TOP/$corpus" sh demo.sh "${COMPRESSOR:-lz4}" ||
	die "the demonstration failed: $(grep '^FAILED' "build/log/${prefix}demo.out" || echo "see build/log/${prefix}demo.console")"
# in_rust NAME: whether the log says that its implementation is the one in Rust
in_rust() { grep -q "$1: Rust implementation" "build/log/${prefix}demo.out"; }
case $impl in rust | rust-zswap) in_rust zswap ;; *) ! in_rust zswap ;; esac &&
	case $impl in rust | rust-cache) in_rust swap_cache ;; *) ! in_rust swap_cache ;; esac ||
	die "the demonstration ran, but the kernel's log names other implementations than those of IMPL=$impl"
