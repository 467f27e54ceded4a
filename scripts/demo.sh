#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demonstration: a booted guest swaps real data out through zswap and back, and compares each
# byte. COMPRESSOR names the compressor, IMPL the kernel.
. "$(dirname "$0")/lib.sh"

impl=${IMPL:-rust}
scripts/corpus.sh
corpus=build/vm/corpus-$prefix$impl.img
scripts/vm.sh -n "${prefix}demo" -a kunit.autorun=0 -d "$TOP/$corpus" sh demo.sh "${COMPRESSOR:-lz4}" ||
	die "the demonstration failed: $(grep '^FAILED' "build/log/${prefix}demo.out" || echo "see build/log/${prefix}demo.console")"
[ "$impl" = c ] || grep -q 'zswap: Rust implementation' "build/log/${prefix}demo.out" ||
	die "the demonstration ran, but the kernel's log doesn't say that zswap is the Rust one"
