#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fuzz.sh [check]: both LZ4s, for MINUTES (10), under libFuzzer, AddressSanitizer and overflow
# checks, which the kernel's build of lz4_flex doesn't have. With check, only validates the input.
# Findings are left in build/fuzz, with the command that reproduces them, as is the corpus of
# interesting inputs.
. "$(dirname "$0")/lib.sh"

minutes=${MINUTES:-10}
number MINUTES "$minutes" 1 9999
[ -z "${HOSTTOOLS:-}" ] || die "make fuzz requires its own root: leave HOSTTOOLS out"
[ "${1:-}" != check ] || exit 0

scripts/toolchain.sh fuzz
export ENTER_ROOT=$FUZZ_ROOT
dir=build/fuzz
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
status=0
# Progress is shown from time to time.
scripts/enter.sh $dir/fuzz -max_total_time=$((minutes * 60)) -max_len=20000 -len_control=20 -artifact_prefix=$dir/found/$(date +%s)- \
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
