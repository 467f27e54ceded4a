#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/verdicts.py judges the results of the kernel's selftests: it must detect each test that
# Rust passes significantly less often than C, for whatever reason, and must not report chance. It
# gets made-up results here. Prints TAP.
. "$(dirname "$0")/../../scripts/lib.sh"

work=build/judge-selftests # which the toolchain root sees
rm -rf $work
mkdir $work
scratch=$TOP/$work
printf '%s\n' 'max one' 'max two -x' >"$work/list"

# guest NAME RUNS: that many runs of two programs, with three tests and with one, in which all pass
guest() {
	local run
	for run in $(seq "$2"); do
		printf '%s\n' "$run 1 1..3" "$run 1 ok 1 first" "$run 1 ok 2 second # SKIP no device" \
			"$run 1 ok 3 - third" "$run 1 end 0 1.5 10 20" \
			"$run 2 1..1" "$run 2 ok 1 # SKIP fourth (too small)" "$run 2 end 4 0.5 1 2"
	done >"$work/selftests-$1.out"
}

n=0 bad=0
# judged STATUS LINE CLOSE NAME [RUST [C [AGAIN]]]: edits the output of ten runs each of Rust and C;
# the judge must exit with STATUS, print LINE, and report the programs CLOSE as close; with AGAIN,
# after 20 more runs of the first program, with Rust's output edited
judged() {
	local status=0 close outs
	guest c 10
	guest rust 10
	sed -i "${5:-}" "$work/selftests-rust.out"
	sed -i "${6:-}" "$work/selftests-c.out"
	outs=("$work"/selftests-{c,rust}.out=10)
	if [ $# -gt 6 ]; then
		guest c-again 20
		guest rust-again 20
		sed -i '/^[0-9]* 2/d' "$work"/selftests-*-again.out
		sed -i "$7" "$work/selftests-rust-again.out"
		outs+=("$work"/selftests-{c,rust}-again.out=20:1)
	fi
	scripts/enter.sh python3 scripts/verdicts.py selftests "$work/table" "$work/close" "$work/list" "${outs[@]}" >"$work/said" || status=$?
	close=$(cat "$work/close")
	n=$((n + 1))
	if [ $status = "$1" ] && [ "$close" = "$3" ] && grep -q -E "$2" "$work/said" "$work/table"; then
		echo "ok $n - $4"
	else
		bad=1
		echo "not ok $n - $4"
		sed 's/^/# /' "$work/said" "$work/table"
		echo "# status $status, close: $close"
	fi
}
fails() { echo "/^$1 1 ok 3/s/ok/not ok/"; }
all='[0-9]*' nine='[1-9]' third=' +3 +third'

echo 1..17
judged 0 '^# 0 that Rust' '' 'nothing is lost where both pass the same'
judged 0 '^# 4 tests of 2 programs, of which 2 are skipped; 3 are of one;' '' 'the tests are counted, and not what is added to them'
judged 0 "one$third +10/10 +9/10 +differs, p = 0.50" '' 'one failure in ten is shown, and may be chance' "$(fails 1)"
judged 1 "one$third +10/10 +1/10 +LOST" 1 'a test that fails nine times of ten' "$(fails "$nine")"
judged 1 "one$third +9/10 +0/10 +LOST" 1 'a failure on C excuses none of ten on Rust' "$(fails "$all")" "$(fails 1)"
judged 0 "one$third +1/10 +10/10 +differs" '' 'a test that C fails is no fault of Rust' '' "$(fails "$nine")"
judged 0 "one$third +8/10 +8/10" '' 'a test that both fail at times' "$(fails '[12]')" "$(fails '[34]')"
judged 0 "one$third +10/10 +8/10 +differs, p = 0.24" 1 'two failures in ten are close' "$(fails '[12]')"
judged 0 "one$third +30/30 +28/30 +differs" 1 'what is close is not lost if it goes well then' "$(fails '[12]')" '' ''
judged 1 "one$third +30/30 +10/30 +LOST" 1 'what is close is lost if it goes on' "$(fails '[12]')" '' "$(fails '1*[1-9]')"
judged 1 'one +1 +first +10/10 +0/10 +LOST' 1 'a failure that goes by another name' "s/^\($all\) 1 ok 1 first/\1 1 not ok 1 mmap() failed/"
judged 1 "one$third +10/10 +0/10 +LOST" 1 'a test that did not come' "/^$all 1 ok 3/d"
judged 1 "one$third +10/10 +0/10\+10 skipped|one$third +10/10 +skipped +LOST" 1 'a test that was skipped' "s/^$all 1 ok 3 - third/& # SKIP no swap/"
judged 1 'one +comes to its end +10/10 +0/10 +LOST' 1 'a program that was killed' "s/^\($all\) 1 end 0/\1 1 end 137/"
judged 1 'two -x +comes to its end +10/10 +0/10 +LOST' 2 'a guest that died on its way' "/^$all 2/d"
judged 0 'one +2 +second +skipped +10/10 +differs' '' 'a test that only Rust runs is shown' 's/ # SKIP no device//'
judged 0 'two -x +1 +fourth +skipped +skipped +too small' '' 'why a test is skipped is shown'
exit $bad
