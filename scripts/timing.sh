#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timing.sh [check]: how long storing, loading and freeing of a page take in zswap, in C and in Rust, in
# nanoseconds: tests/kunit/time.c on User Mode Linux, whose code this machine runs itself. RUNS pairs of
# boots, of C and Rust in turn, and as many boots of each of three kernels with both, in which the two lie in
# different orders. scripts/timing.py compares, and writes docs/performance.md. Fails only if something
# doesn't run, whatever the times are. With check, only validates the input.
. "$(dirname "$0")/lib.sh"

runs=${RUNS:-15}
number RUNS "$runs" 1 999
limit=${TEST_LIMIT:-300} # seconds in which a boot may print nothing
number TEST_LIMIT "$limit" 1 99999
[ "${1:-}" != check ] || exit 0

lock build/log/timing.lock
config=$TOP/build/src/samples/rust/zswap_rs/kunit/time.kunitconfig
make=(LLVM=1 "CC=ccache clang" KBUILD_BUILD_USER=zswap_rs KBUILD_BUILD_HOST=localhost)

# kunit.py, run in the kernel's source, as it requires. Its own timeout counts from the start.
kunit() {
	# shellcheck disable=SC2016 # expanded in the root
	heard "$limit" scripts/enter.sh bash -c 'cd build/src && exec env PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 "$@"' _ \
		tools/testing/kunit/kunit.py "$@"
}

copy() {
	rm -rf "$2.new" && cp -a "$1" "$2.new" && rm -f "$2.new"/{vmlinux,linux,test.log} && mv -T "$2.new" "$2"
}

for impl in c rust ab-0 ab-1 ab-2; do
	dir=$TOP/build/timing-$impl
	# They differ little, and make rebuilds the difference.
	[ -e "$dir" ] || [ $impl = c ] || step "copy for timing-$impl" copy "$TOP/build/timing-$before" "$dir"
	before=$impl
	mkdir -p "$dir"
	if [ $impl = c ]; then chosen=C; else chosen=RUST; fi
	more=()
	[[ $impl != ab-* ]] || more=(--kconfig_add=CONFIG_ZSWAP_AB_KUNIT_TEST=y --kconfig_add=CONFIG_ZSWAP_AB_ORDER="${impl#ab-}")
	step "config timing-$impl" kunit config --kunitconfig="$config" --build_dir="$dir" \
		"${make[@]/#/--make_options=}" \
		--kconfig_add=CONFIG_ZSWAP_$chosen=y --kconfig_add=CONFIG_SWAP_CACHE_$chosen=y "${more[@]}"
	[ -f "$dir/vmlinux" ] || STEP_LINES=1400
	step "kernel timing-$impl" scripts/enter.sh make -C build/src O="$dir" ARCH=um -j"$JOBS" "${make[@]}" linux
	STEP_LINES=
done

out=build/timing
rm -rf "$out"
mkdir -p "$out"

# boot IMPL N: without step, which would look at the log while the time is taken.
boot() {
	local dir=$TOP/build/timing-$1
	LOG=build/log/timing-$1-$2.log
	rm -f "$dir/test.log"
	kunit exec --kunitconfig="$config" --build_dir="$dir" --timeout=1000000 \
		--kernel_args=seccomp=on --kernel_args=ncpus=1 zswap_time </dev/null >"$LOG" 2>&1 || failed "timing $1 $2"
	# The kernel's log, which kunit.py leaves in its build folder.
	sed -n 's/.*zswap_time:\t//p' "$dir/test.log" | tr -d '\r' >"$out/$1.$2"
}

for ((n = 1; n <= runs; n++)); do
	start=$(now_ms)
	for impl in c rust ab-0 ab-1 ab-2; do
		boot $impl $n
	done
	echo "timing pair $n of $runs ... ok $(took "$start")"
done

scripts/enter.sh python3 scripts/timing.py docs/performance.md "$out"
