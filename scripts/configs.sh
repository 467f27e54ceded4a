#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# configs.sh [NAME...]: builds and boots the configurations of scripts/configs, and runs the tests
# that each names. All of them run, even if one fails. Ends with a table.
. "$(dirname "$0")/lib.sh"

export IMPL=${IMPL:-rust}
export TEST_LIMIT=1200 # some are slow
[ $# -gt 0 ] || { set -- scripts/configs/*.config; set -- "${@##*/}"; set -- "${@%.config}"; }
table=()
bad=0
for name; do
	fragment=scripts/configs/$name.config
	[ -f "$fragment" ] || die "there is no configuration $name: scripts/configs has them all"
	read -ra tests < <(sed -n 's/^# tests: //p' "$fragment")
	export VARIANT=$name EXTRA_CONFIG=$fragment
	build_and_test "$name" "${tests[@]}" || bad=$((bad + 1))
	table+=("$(printf '%-10s %9s %9s  %-32s %s' "$name" "$built" "$ran" "$result" "$(sed -n 2s/..//p "$fragment")")")
done
printf '\n%-10s %9s %9s  %-32s %s\n' "$IMPL" built tested result 'what it is'
printf '%s\n' "${table[@]}"
[ "$bad" = 0 ] || die "$bad of $# configurations failed: see build/log"
