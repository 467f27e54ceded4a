#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks that tests/litmus, which `make litmus` runs, matches the code. Prints TAP.
. "$(dirname "$0")/../../scripts/lib.sh"
. tests/host/tap.sh

mapfile -t strong < <(find tests/litmus -name '*.litmus' ! -name '*-weak*' | sort)

echo 1..2
point "each function that a litmus test models exists" "$(for file in "${strong[@]}"; do
	of=$(sed -n 's/^ \* Rust: //p' "$file")
	for function in $(tr , ' ' <<<"${of% in *}"); do
		grep -q -s -w "fn $function" "${of##* in }" || echo "$file: there is no $function in ${of##* in }"
	done
	[ -n "$of" ] || echo "$file: is of no function"
done)"
point "each has weaker variants with the opposite result" "$(for file in "${strong[@]}"; do
	grep -q -x ' \* Result: Never' "$file" || echo "$file: isn't Never"
	weaker=0
	for weak in "${file%.litmus}"-weak*.litmus; do
		[ -e "$weak" ] || continue
		weaker=$((weaker + 1))
		grep -q -x -E ' \* Result: Sometimes( DATARACE)?' "$weak" || echo "$weak: isn't Sometimes"
	done
	[ $weaker != 0 ] || echo "$file: has no weaker one"
done)"
exit $status
