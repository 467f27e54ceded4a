#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# metadata.sh: the kernel memory that each page in zswap takes beside its data, in C and in Rust: slab
# objects counted in a guest of each (bench/metadata.sh). scripts/metadata.py compares, and writes
# docs/performance.md.
. "$(dirname "$0")/lib.sh"
. scripts/guests.sh

# One boot of each: nothing in the counts depends on timing.
# shellcheck disable=SC2034 # for guests.sh
runs=1
both_kernels

out=build/metadata
rm -rf "$out"
mkdir -p "$out" build/vm

# Else caches with objects of one size are one in /proc/slabinfo, with what others have in it.
args="slab_nomerge zswap.enabled=0 kunit.enable=0"

guest() {
	IMPL=$1 exec scripts/vm.sh -n "metadata-$1" -r -m 512M -a "$args" sh metadata.sh
}
files() { find "$out" -name '*[0-9]' -o -name '*.new' | sort; }

guests metadata "$out"
for impl in c rust; do
	begin $impl 1
done
all_ended

scripts/enter.sh python3 scripts/metadata.py docs/performance.md "$out"
