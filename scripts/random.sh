#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# random.sh stress | twins | fuzz [check]: random operations or inputs, for MINUTES. With check, only validates the input.
#
#   stress  all operations on zswap at once (15 minutes), on a kernel with checks of locks, lists, contexts and memory: the
#           configuration debug, or the kernel that VARIANT names. SEED repeats a run's operations, but not their timing
#   twins   the suites that compare with C, zswap_twins and swap_twins, with new seeds (10 minutes): on UML, in turn with two
#           CPUs and with one. SEED repeats one
#   fuzz    both LZ4s (10 minutes), under libFuzzer, AddressSanitizer and overflow checks, which the kernel's build of
#           lz4_flex doesn't have. Findings are left in build/fuzz, with the command that reproduces them, as is the corpus of
#           interesting inputs
. "$(dirname "$0")/lib.sh"

stress() {
	local status=0 start name failed skipped passed planned
	if [ -z "${VARIANT:-}" ]; then
		VARIANT=debug
		[ "$IMPL" = rust ] || VARIANT+=-$IMPL
		[ -z "${ZERO_FIX:-}" ] || VARIANT+=-zero
		export VARIANT LIKE=debug EXTRA_CONFIG=scripts/configs/debug.config
	fi
	scripts/kernel.sh "$IMPL"

	start=$(now_ms)
	name=stress-$prefix$VARIANT
	echo "stress $VARIANT, $minutes min ... (SEED=$seed)"
	scripts/vm.sh -n "$name" -t "${TEST_LIMIT:-900}" -a "zswap.enabled=1 slab_nomerge" \
		sh stress.sh $((minutes * 60)) "$seed" || status=$?
	failed=$(grep -c '^not ok' "build/log/$name.out" || :)
	skipped=$(grep -c '^ok.* # SKIP' "build/log/$name.out" || :)
	passed=$(($(grep -c '^ok' "build/log/$name.out" || :) - skipped))
	planned=$(sed -n 's/^1\.\.//p' "build/log/$name.out")
	[ "$status" = 0 ] && [ "$failed" = 0 ] && [ "$((passed + skipped))" = "${planned:-?}" ] ||
		die "stress of $VARIANT failed after $(took "$start"), $passed of ${planned:-?} points passed: see build/log/$name.out and .console; SEED=$seed repeats the operations"
	echo "stress $VARIANT ... ok $(took "$start"), $passed of $planned points passed, $skipped skipped"
}

twins() {
	local start all=0 round=0 end cpus begin n args um=um # as kunit.sh names it
	# In a case. A boot and its preparation take a third of a minute.
	operations=100000
	args="zswap_twins.operations=$operations swap_twins.operations=$operations"
	[ -z "$seed" ] || args+=" zswap_twins.seed=$seed swap_twins.seed=$seed"

	[ "$SUITE" = "$STABLE" ] || um=$SUITE-um
	start=$(now_ms)
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
}

fuzz() {
	local dir=build/fuzz coverage option start status=0
	scripts/toolchain.sh fuzz
	export ENTER_ROOT=$FUZZ_ROOT
	lock build/log/fuzz.lock
	mkdir -p $dir/corpus $dir/found

	# Only for code of the target: build scripts are for the host.
	coverage="-Cpasses=sancov-module"
	for option in level=4 inline-8bit-counters pc-table trace-compares; do
		coverage+=" -Cllvm-args=-sanitizer-coverage-$option"
	done
	step "fuzzer" scripts/enter.sh env RUSTC_BOOTSTRAP=1 FUZZ=1 CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true \
		RUSTFLAGS="-Zsanitizer=address -Zexternal-clangrt $coverage -Ccodegen-units=1 -Cdebug-assertions=y" \
		cargo build -q --release --offline --locked --target x86_64-unknown-linux-gnu --target-dir $dir/target -p lz4 --example fuzz
	step "link" scripts/enter.sh clang -fsanitize=fuzzer,address -o $dir/fuzz \
		$dir/target/x86_64-unknown-linux-gnu/release/examples/libfuzz.a -lpthread -ldl -lm

	start=$(now_ms)
	echo "fuzz, $minutes min ..."
	# Progress is shown from time to time.
	scripts/enter.sh $dir/fuzz -max_total_time=$((minutes * 60)) -max_len=20000 -len_control=20 -artifact_prefix="$dir/found/$(date +%s)-" \
		-print_final_stats=1 $dir/corpus >build/log/fuzz.log 2>&1 &
	job=$!
	while kill -0 $job 2>/dev/null; do
		for _ in {1..30}; do
			sleep 1
			kill -0 $job 2>/dev/null || break
		done
		grep -a '^#' build/log/fuzz.log | tail -n 1 || :
	done
	wait $job || status=$?
	job=
	[ "$status" = 0 ] || die "found after $(took "$start"): $(grep -a -m 1 -E 'panicked|ERROR:|SUMMARY' build/log/fuzz.log); see build/log/fuzz.log. Again: ENTER_ROOT=$FUZZ_ROOT scripts/enter.sh $dir/fuzz $(find $dir/found -type f -printf '%f %p\n' | sort | tail -n 1 | cut -d' ' -f2)"
	echo "fuzz ... ok $(took "$start"): $(sed -n 's/^stat::number_of_executed_units: *//p' build/log/fuzz.log) inputs, nothing found"
}

seed=${SEED:-}
case ${1:-} in
stress)
	export IMPL=${IMPL:-rust}
	minutes=${MINUTES:-15} seed=${SEED:-$(date +%s)}
	[[ $seed =~ ^[0-9]{1,18}$ ]] || die "SEED=$seed is invalid: give a number of up to 18 digits, or leave it out"
	;;
twins)
	minutes=${MINUTES:-10}
	[[ -z $seed || $seed =~ ^[1-9][0-9]{0,18}$ ]] || die "SEED=$seed is invalid: give the number that a run has printed"
	;;
fuzz)
	minutes=${MINUTES:-10}
	;;
*) die "usage: scripts/random.sh stress | twins | fuzz [check]" ;;
esac
number MINUTES "$minutes" 1 9999
[ "${2:-}" = check ] || "$1"
