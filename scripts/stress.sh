#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# stress.sh [check]: all operations on zswap at once, for MINUTES (15), on a kernel with checks of
# locks, lists, contexts and memory: the configuration debug, or the kernel that VARIANT names. SEED
# repeats a run's operations, but not their timing. With check, only validates the input.
. "$(dirname "$0")/lib.sh"

export IMPL=${IMPL:-rust}
minutes=${MINUTES:-15} seed=${SEED:-$(date +%s)}
number MINUTES "$minutes" 1 9999
[[ $seed =~ ^[0-9]{1,18}$ ]] || die "SEED=$seed is no seed: give a number of up to 18 digits, or leave it out"
[ "${1:-}" != check ] || exit 0

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
status=0
scripts/vm.sh -n "$name" -t "${TEST_LIMIT:-900}" -a "zswap.enabled=1 slab_nomerge" \
	sh stress.sh $((minutes * 60)) "$seed" || status=$?
failed=$(grep -c '^not ok' "build/log/$name.out" || :)
skipped=$(grep -c '^ok.* # SKIP' "build/log/$name.out" || :)
passed=$(($(grep -c '^ok' "build/log/$name.out" || :) - skipped))
planned=$(sed -n 's/^1\.\.//p' "build/log/$name.out")
[ "$status" = 0 ] && [ "$failed" = 0 ] && [ "$((passed + skipped))" = "${planned:-?}" ] ||
	die "stress of $VARIANT failed after $(took "$start"), $passed of ${planned:-?} points passed: see build/log/$name.out and .console; SEED=$seed does the same again"
echo "stress $VARIANT ... ok $(took "$start"), $passed of $planned points passed, $skipped skipped"
