#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# sanitize.sh [check]: KUnit, the guest tests and MINUTES=5 of the stress under KASAN, lockdep,
# PROVE_RCU, DEBUG_VM, DEBUG_LIST, DEBUG_ATOMIC_SLEEP and kmemleak; then the tests under KCSAN,
# which finds data races in C, but not in Rust, which rustc doesn't instrument for it. With check,
# only validates the input. All of them run, even if one fails.
. "$(dirname "$0")/lib.sh"

export IMPL=${IMPL:-rust} MINUTES=${MINUTES:-5}
export TEST_LIMIT=1200 # they are slow
[ -z "${VARIANT:-}${EXTRA_CONFIG:-}" ] || die "make sanitize has configurations of its own: leave VARIANT and EXTRA_CONFIG out"
scripts/stress.sh check
[ "${1:-}" != check ] || exit 0

table=() bad=0
# watched NAME FRAGMENT: runs all tests that its first lines name, on a kernel with all its options
# on.
watched() {
	local tests option
	read -ra tests < <(sed -n 's/^# tests: //p' "$2")
	VARIANT=$1 EXTRA_CONFIG=$2
	export VARIANT EXTRA_CONFIG
	build_and_test "$1" "${tests[@]}" || bad=$((bad + 1))
	# kernel.sh also checks that, but this script verifies its own claim.
	while read -r option; do
		grep -q -x -F "$option" "build/$1/.config" && continue
		result="$option isn't set"
		bad=$((bad + 1))
	done < <(grep '^CONFIG_' "$2")
	table+=("$(printf '%-10s %9s %9s  %s' "$1" "$built" "$ran" "$result")")
	unset VARIANT EXTRA_CONFIG
}

watched debug scripts/configs/debug.config
start=$(now_ms)
result=passed
scripts/stress.sh || { result=FAILED && bad=$((bad + 1)); }
table+=("$(printf '%-10s %9s %9s  %s' stress - "$(took "$start")" "$result")")
watched kcsan scripts/kcsan.config

printf '\n%-10s %9s %9s  %s\n' "$IMPL" built ran result
printf '%s\n' "${table[@]}"
[ "$bad" = 0 ] || die "$bad of it failed: see build/log"
