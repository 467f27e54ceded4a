#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bench.sh: the cost of swapping (bench/) in C and in Rust, in instructions: in guests with one CPU
# whose clock counts executed instructions. RUNS boots of each (3), each with another delay;
# scripts/bench.py compares, and writes docs/performance.md and its picture.
. "$(dirname "$0")/lib.sh"
. scripts/guests.sh

runs=${RUNS:-3}
number RUNS "$runs" 1 999
both_kernels
# Only the implementation may differ; options that aren't set may be missing.
differ=$(diff <(grep '^CONFIG_' build/c/.config | sort) <(grep '^CONFIG_' build/rust/.config | sort) |
	sed -n 's/^[<>] \(CONFIG_[A-Z0-9_a-z]*\).*/\1/p' | sort -u |
	grep -v -x -E 'CONFIG_(ZSWAP|SWAP_CACHE)_(RUST|C)|CONFIG_ZSWAP_RUST_KUNIT_TEST|CONFIG_RUST_SWAP_ABSTRACTIONS' | paste -sd' ') || true
[ -z "$differ" ] || die "the two kernels differ in $differ: build both from the same fragments"

out=build/bench
rm -rf "$out"
mkdir -p "$out" build/vm

args="zswap.enabled=0 kunit.enable=0"

guest() {
	IMPL=$1 exec scripts/vm.sh -n "bench-$1-$2" -r -m 512M -a "$args delay=$2" sh rows.sh
}
files() { find "$out" -name '*[0-9]' -o -name '*.new' | sort; }

guests bench "$out"
for ((n = 1; n <= runs; n++)); do
	for impl in c rust; do
		begin $impl "$n"
	done
done
all_ended

status=0
scripts/enter.sh python3 scripts/bench.py docs/performance.md "$out" || status=$?
scripts/pictures.sh performance
exit $status
