#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The zero-page reproducer of docs/upstream on the kernel of IMPL, RUNS times (default 10). Fails if
# any page had its older contents.
. "$(dirname "$0")/../scripts/lib.sh"

out=$(mktemp)
scratch=$out
bad=0
number RUNS "${RUNS:-10}" 1 999
for ((run = 1; run <= ${RUNS:-10}; run++)); do
	scripts/vm.sh -n zero -a zswap.enabled=1 sh suite.sh zero.sh >"$out" 2>&1 ||
		die "run $run: $(tail -n 1 "$out")"
	clean=$(grep -c '^ok' "$out" || :)
	wrong=$(sed -n 's/^#   got .*wrong \([0-9]*\).*/\1/p' "$out" | awk '{ n += $1 } END { print n + 0 }')
	printf 'run %d: %d of 18 points passed, %d pages wrong\n' "$run" "$clean" "$wrong"
	[ "$clean" = 18 ] || { bad=1 && grep -A4 '^not ok' "$out"; }
done
exit $bad
