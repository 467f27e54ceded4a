#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# twins.sh [check]: the suites that compare with C, zswap_twins and swap_twins, with new seeds for MINUTES (10): on UML,
# in turn with two CPUs and with one. SEED repeats one. With check, only validates the input.
. "$(dirname "$0")/lib.sh"

minutes=${MINUTES:-10} seed=${SEED:-}
number MINUTES "$minutes" 1 9999
[[ -z $seed || $seed =~ ^[1-9][0-9]{0,18}$ ]] || die "SEED=$seed is no seed: give the number that a run has printed"
[ "${1:-}" != check ] || exit 0

# In a case. A boot and its preparation take a third of a minute.
operations=100000
args="zswap_twins.operations=$operations swap_twins.operations=$operations"
[ -z "$seed" ] || args+=" zswap_twins.seed=$seed swap_twins.seed=$seed"

um=um # as kunit.sh names it
[ "$SUITE" = "$STABLE" ] || um=$SUITE-um
start=$(now_ms) all=0 round=0
end=$((start + minutes * 60000))
while [ "$(now_ms)" -lt $end ]; do
	for cpus in 2 1; do
		round=$((round + 1)) begin=$(now_ms)
		ARCH=um SUITE='*_twins' KERNEL_ARGS="$args ncpus=$cpus" scripts/kunit.sh >build/log/twins.log 2>&1 || {
			grep -a -E '^ *# (twins|swap_caches)_[a-z_]*: |^operation [0-9]* of ' "build/kunit/$um.log" | tail -n 60 >&2 || :
			die "the twins differ in round $round, or it could not be run: see build/log/twins.log and build/kunit/$um.log"
		}
		n=$(sed -n 's/^ *# .*: \([0-9]*\) operations in .*/\1/p' "build/kunit/$um.log" | awk '{ n += $1 } END { print n + 0 }')
		[ "$n" -gt 0 ] || die "no operations in build/kunit/$um.log"
		all=$((all + n))
		printf 'round %d, %d CPU: %d operations, equal (%s); seeds %s\n' $round $cpus "$n" "$(took "$begin")" \
			"$(sed -n 's/^ *# [a-z_]*: [a-z_]*\.seed=//p' "build/kunit/$um.log" | paste -sd' ')"
	done
	[ -z "$seed" ] || break
done
echo "twins ... ok $(took "$start"): $all operations, C and Rust equal"
