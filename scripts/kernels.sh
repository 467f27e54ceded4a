#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels.sh: builds and boots the four combinations of C and Rust, and runs the most telling quick
# tests on each. Ends with a table.
. "$(dirname "$0")/lib.sh"

tests=(config.sh swapcache.sh abi.sh roundtrip.sh writeback.sh process.sh)
table=()
bad=0
for IMPL in rust rust-zswap rust-cache c; do
	export IMPL
	build_and_test "$IMPL" "${tests[@]}" || bad=$((bad + 1))
	table+=("$(printf '%-12s %9s %9s  %s' "$IMPL" "$built" "$ran" "$result")")
done
printf '\n%-12s %9s %9s  %s\n' IMPL built tested result
printf '%s\n' "${table[@]}"
[ "$bad" = 0 ] || die "$bad of 4 kernels failed: see build/log"
