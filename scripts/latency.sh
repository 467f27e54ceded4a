#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# latency.sh [check]: how long a real-time task's fault takes on a CPU that stores (bench/latency.c), in C and
# in Rust: in guests with one CPU whose clock counts executed instructions, one for each nanosecond. RUNS boots
# of each (1), each with other moments. scripts/latency.py writes the table of docs/performance.md. With check,
# only validates the input.
. "$(dirname "$0")/lib.sh"
. scripts/guests.sh

runs=${RUNS:-1}
number RUNS "$runs" 1 999
[ "${1:-}" != check ] || exit 0
both_kernels

faults=1000
out=build/latency
rm -rf "$out"
mkdir -p "$out" build/vm

guest() {
	IMPL=$1 exec scripts/vm.sh -n "latency-$1-$2" -r -s 0 -m 512M -t 1800 -a "zswap.enabled=0 kunit.enable=0" \
		sh latency.sh $faults "$2"
}
files() { find "$out" -name '*[0-9]' -o -name '*.new' | sort; }

guests latency "$out"
for ((n = 1; n <= runs; n++)); do
	for impl in c rust; do
		begin $impl "$n"
	done
done
all_ended

scripts/enter.sh python3 scripts/latency.py docs/performance.md "$out"
