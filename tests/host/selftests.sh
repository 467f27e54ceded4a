#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/selftests.pl judges what the kernel's own tests said: it must miss no test that C passes and
# Rust doesn't, however that comes about. Here it is told of such ones. Prints TAP.
. "$(dirname "$0")/../../scripts/lib.sh"

work=$(mktemp -d)
scratch=$work
printf '%s\n' 'max one' 'max two -x' >"$work/list"

# guest IMPL: two runs of two programs, of three tests and of one, in which all is well
guest() {
	local run
	for run in 1 2; do
		printf '%s\n' "$run 1 1..3" "$run 1 ok 1 first" "$run 1 ok 2 second # SKIP no device" \
			"$run 1 ok 3 - third" "$run 1 end 0 1.5 10 20" \
			"$run 2 1..1" "$run 2 ok 1 # SKIP fourth (too small)" "$run 2 end 4 0.5 1 2"
	done >"$work/selftests-$1.out"
}

n=0 bad=0
# judged STATUS LINE NAME [EDIT]: with the output of Rust edited, the judge ends with STATUS and says LINE
judged() {
	local status=0
	guest c
	guest rust
	[ -z "${4:-}" ] || sed -i "$4" "$work/selftests-rust.out"
	scripts/selftests.pl 2 "$work/list" "$work/table" "$work"/selftests-{c,rust}.out >"$work/said" || status=$?
	n=$((n + 1))
	if [ $status = "$1" ] && grep -q -E "$2" "$work/said" "$work/table"; then
		echo "ok $n - $3"
	else
		bad=1
		echo "not ok $n - $3"
		sed 's/^/# /' "$work/said" "$work/table"
	fi
}

echo 1..9
judged 0 '^6 tests, 0 that C' 'nothing is lost where both pass the same'
judged 1 'one +3 +third +2/2 +1/2 +LOST' 'a test that failed once' '/^2 1 ok 3/s/ok/not ok/'
judged 1 'one +1 +first +2/2 +1/2 +LOST' 'a failure that goes by another name' 's/^1 1 ok 1 first/1 1 not ok 1 mmap() failed/'
judged 1 'one +3 +third +2/2 +1/2 +LOST' 'a test that did not come' '/^1 1 ok 3/d'
judged 1 'one +3 +third +2/2 +1/2\+1 skipped +LOST' 'a test that was skipped' 's/^1 1 ok 3 - third/& # SKIP no swap/'
judged 1 'one +comes to its end +2/2 +1/2 +LOST' 'a program that was killed' 's/^2 1 end 0/2 1 end 137/'
judged 1 'two -x +comes to its end +2/2 +0/2 +LOST' 'a guest that died on its way' '/^[12] 2/d'
judged 0 'one +2 +second +skipped +2/2 +differs' 'a test that only Rust runs is shown' 's/ # SKIP no device//'
judged 0 'two -x +1 +fourth +skipped +skipped +too small' 'why a test is skipped is shown'
exit $bad
