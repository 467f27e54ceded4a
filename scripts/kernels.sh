#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels.sh: build and boot the four choices of C and Rust, and run on each what says most in least
# time. Ends with a table.
. "$(dirname "$0")/lib.sh"

tests=(config.sh swapcache.sh abi.sh roundtrip.sh writeback.sh process.sh)
table=()
bad=0
for IMPL in rust rust-zswap rust-cache c; do
	export IMPL
	log=build/log/tests-$IMPL.log
	start=$(now_ms) ran=- result="doesn't build"
	if scripts/kernel.sh "$IMPL"; then
		built=$(took "$start")
		start=$(now_ms)
		tests/run.sh "${tests[@]/#/tests/vm/}" | tee "$log" || :
		ran=$(took "$start")
		result=$(tail -n 1 "$log")
	else
		built=$(took "$start")
	fi
	[[ $result == *", 0 failed" ]] || bad=$((bad + 1))
	table+=("$(printf '%-12s %9s %9s  %s' "$IMPL" "$built" "$ran" "$result")")
done
printf '\n%-12s %9s %9s  %s\n' IMPL built tested result
printf '%s\n' "${table[@]}"
[ "$bad" = 0 ] || die "$bad of 4 kernels failed: see build/log"
