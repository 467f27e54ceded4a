#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# mutants.sh [NAME...]: break the code on purpose, and see that the named test fails.
# A mutant is tests/mutants/NAME.patch: why, a line "caught-by: FILE POINT", and the diff. It is laid
# on build/src only, and taken off again; the last line is "N passed, N failed".
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || { set -- tests/mutants/*.patch; set -- "${@##*/}"; set -- "${@%.patch}"; }
passed=0 failed=0

# Bring build/src back to what the project says, however this ends.
restore() { scripts/overlay.sh >build/log/mutant-overlay.log 2>&1 || :; }
trap 'restore; tidy' EXIT

# lay PATCH: on the overlay's own copies, each replaced by a renamed file.
lay() {
	local file
	while read -r file; do
		# shellcheck disable=SC2016 # expanded in the root
		scripts/enter.sh bash -c 'patch -s -F0 -o "$2" "build/src/$1" <"$3"' _ \
			"$file" build/mutant.tmp "$1" >build/log/mutant-patch.log || return
		mv build/mutant.tmp "build/src/$file"
	done < <(sed -n 's#^+++ b/##p' "$1")
}

for name; do
	mutant=tests/mutants/$name.patch
	[ -f "$mutant" ] || die "there is no mutant $name: tests/mutants has them all"
	read -r test point < <(sed -n 's/^caught-by: //p' "$mutant")
	args=$(sed -n 's/^# boot: //p' "tests/vm/$test")
	start=$(now_ms)
	restore
	lay "$mutant" || die "mutant $name doesn't apply: write it anew for the code as it is"
	verdict="NOT CAUGHT by $test $point"
	if ! scripts/kernel.sh rust >"build/log/mutant-$name.log" 2>&1; then
		verdict="doesn't build: see build/log/mutant-$name.log"
	else
		scripts/vm.sh -n "mutant-$name" -t 300 -a "$args" sh suite.sh "$test" \
			>>"build/log/mutant-$name.log" 2>&1 || :
		! grep -q "^not ok .* $point" "build/log/mutant-$name.log" || verdict="caught by $test $point"
	fi
	case $verdict in caught*) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) ;; esac
	printf '%-30s %s (%s)\n' "$name" "$verdict" "$(took "$start")"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
