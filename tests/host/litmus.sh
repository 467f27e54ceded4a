#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks that tests/litmus, which `make litmus` runs, matches the code, and that its twins are made as their headers
# say. Prints TAP.
. "$(dirname "$0")/../../scripts/lib.sh"
. tests/host/tap.sh

files=(tests/litmus/*.litmus)

echo 1..6
point "each function that a litmus test models exists" "$(for file in "${files[@]}"; do
	of=$(sed -n 's/^ \* Rust: //p' "$file")
	for function in $(tr , ' ' <<<"${of% in *}"); do
		grep -q -s -w "fn $function" "${of##* in }" || echo "$file: there is no $function in ${of##* in }"
	done
	[ -n "$of" ] || echo "$file: is of no function"
done)"
point "each has weaker variants with the opposite result" "$(for file in "${files[@]}"; do
	grep -q -x ' \* Result: Never' "$file" || echo "$file: isn't Never"
	twins=$(scripts/litmus.sh twins "$file" 2>&1) || echo "$twins"
	[ -n "$twins" ] || echo "$file: has no weaker variant"
	grep -v -x -E '[a-z-]+: Sometimes( DATARACE)?' <<<"$twins" | sed '/^$/d; s/$/: is not Sometimes/'
done)"

# refused NAME MESSAGE ENTRY...: a header with these entries is refused, with this message in the last line.
work=$(mktemp -d)
scratch=$work
refused() {
	local said name=$1 wanted=$2
	shift 2
	{
		printf '%s\n' 'C made-up' '' '(*' ' * Result: Never' ' *'
		printf ' * %s\n' "$@"
		printf '%s\n' ' *)' '' '{}' '' 'P0(int *p)' '{' '	smp_store_release(p, 1);' '}'
	} >"$work/made-up.litmus"
	said=$(scripts/litmus.sh twins "$work/made-up.litmus" 2>&1) && said="not refused: $said"
	[[ ${said##*$'\n'} == "zswap_rs: $work/made-up.litmus: "*"$wanted"* ]] && said=
	point "$name" "$said"
}
refused "an expression that changes nothing is refused" "changes nothing" \
	"weak: Sometimes, unordered." "    sed: s/smp_store_acquire/WRITE_ONCE/"
refused "two twins that are the same are refused" "weak-b: 's/smp_store_r/x/' makes the same as weak-a" \
	"weak-a: Sometimes, unordered." "    sed: s/smp_store_r/x/" "weak-b: Sometimes, unordered." "    sed: s/smp_store_r/x/"
refused "a twin without an expression is refused" "weak has no sed expression" "weak: Sometimes, unordered."
refused "an expression that sed can't read is refused" "sed can't read" \
	"weak: Sometimes, unordered." "    sed: s/smp"
exit $status
