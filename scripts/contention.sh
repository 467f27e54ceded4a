#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# contention.sh: locked instructions and accesses to cache lines that other CPUs have, in C and in Rust, counted by
# bench/plugin in guests with eight CPUs that all swap at once. RUNS boots of each (2), in each of which the CPUs'
# turns have other lengths, of TURN instructions (64) on average; scripts/contention.py proves what is counted,
# compares, and writes docs/performance.md and, function by function, build/contention/functions.tsv.
# With check, only the input is looked at.
. "$(dirname "$0")/lib.sh"
. scripts/guests.sh

runs=${RUNS:-2} turn=${TURN:-64}
number RUNS "$runs" 1 99
number TURN "$turn" 1 99999
[ "${1:-}" != check ] || exit 0

kernel() { # IMPL COMMAND...
	local impl=$1
	shift
	IMPL=$impl VARIANT=contention-$impl LIKE=contention-rust EXTRA_CONFIG=scripts/contention.config "$@"
}
for impl in rust c; do
	kernel $impl scripts/kernel.sh $impl
done
scripts/plugin.sh

out=build/contention
rm -rf "$out"
mkdir -p "$out" build/vm
for impl in rust c; do
	scripts/enter.sh nm -n -C "build/contention-$impl/vmlinux" >"$out/$impl.symbols"
	# Where interrupts and exceptions come in, and zswap is called.
	awk '$3 ~ /^asm_(sysvec_|common_interrupt$|spurious_interrupt$)/ { print $1, "irq" }
		$3 ~ /^asm_exc_/ { print $1, "exc" }
		$3 ~ /^zswap_(store|load|invalidate|invalidate_range)$/ { print $1, "zswap" }' "$out/$impl.symbols" >"$out/$impl.entries"
done

guest() {
	PLUGIN=$TOP/build/plugin/contention.so,out=$TOP/$out/$1.$2.counts,entries=$TOP/$out/$1.entries,seed=$2,turn=$turn \
		kernel "$1" exec scripts/vm.sh -n "contention-$1-$2" -r -c 8 -s 0 -m 768M -t 1800 -a "zswap.enabled=0 kunit.enable=0" sh contention.sh 3
}
files() { find "$out" -name '*[0-9]' -o -name '*.new' | sort; }

guests contention "$out"
for ((n = 1; n <= runs; n++)); do
	for impl in c rust; do
		begin $impl "$n"
	done
done
all_ended

scripts/enter.sh python3 scripts/contention.py docs/performance.md "$out"
