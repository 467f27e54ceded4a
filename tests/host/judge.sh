#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks that tests/judge.sh, which parses all tests' output, counts no failed or skipped test as
# passed. Prints TAP.
. "$(dirname "$0")/../../scripts/lib.sh"
work=$TOP/build/judge
rm -rf "$work"
mkdir "$work"
scratch=$work

n=0 bad=0
# judged PASSED FAILED SKIPPED NAME [CMD...]: judges standard input, after running CMD
judged() {
	local want="$1 $2 $3" name=$4 got
	shift 4
	cat >"$work/said"
	# Where a command that fails ends the shell, as in tests/run.sh: not so before "||".
	set +e
	got=$(
		set -e
		. tests/judge.sh
		"${@:-:}"
		case $(head -n 1 "$work/said") in
		KTAP*) kunit build/judge/said ;;
		*) tap it < <(unfold build/judge/suite <"$work/said") ;;
		esac >"$work/shown"
		echo "$passed $failed $skipped"
	) 2>"$work/err"
	set -e
	n=$((n + 1))
	if [ "$got" = "$want" ]; then
		echo "ok $n - $name"
	else
		bad=1
		echo "not ok $n - $name"
		printf '# got %s, not %s\n' "$got" "$want"
		sed 's/^/# /' "$work/shown" "$work/err"
	fi
}
it_must_run() { must_run[it]=yes; }
two_planned() { planned[it]=2; }

echo 1..22
judged 2 0 0 'what passes' <<<$'1..2\nok 1 - a # 0.1 s\nok 2 - b'
judged 1 1 0 'what fails' <<<$'1..2\nok 1 - a\nnot ok 2 - b'
judged 1 2 0 "what doesn't come" <<<$'1..3\nok 1 - a'
judged 0 2 0 'nor does any' two_planned <<<'a death cry'
judged 2 1 0 'what comes unplanned' <<<$'1..1\nok 1 - a\nok 2 - b'
judged 1 0 1 'what is skipped' <<<$'1..2\nok 1 - a\nok 2 - b # SKIP why'
judged 1 1 0 'what fails, and says that it is skipped' <<<$'1..2\nok 1 - a\nnot ok 2 - b # SKIP why'
judged 0 1 2 'a test of which all is skipped' <<<$'1..2\nok 1 - a # SKIP why\nok 2 - b # SKIP why'
judged 0 1 0 'a test without a point' <<<'1..0'
judged 0 0 1 'a test that says why it has none' <<<'1..0 # SKIP why'
judged 0 1 0 'the same where it must run' it_must_run <<<'1..0 # SKIP why'
judged 1 1 0 'a skip where it must run' it_must_run <<<$'1..2\nok 1 - a\nok 2 - b # SKIP why'

# suites CASES...: a kernel's output for suites, one for each argument: its cases, each ok, not or
# skip
suites() {
	local suite=0 case line
	echo 'KTAP version 1'
	echo "1..$#"
	for line; do
		suite=$((suite + 1)) case=0
		printf '    KTAP version 1\n    # Subtest: s%s\n    1..%s\n' $suite "$(wc -w <<<"$line")"
		for it in $line; do
			case=$((case + 1))
			case $it in
			ok) echo "    ok $case c$case" ;;
			not) echo "    not ok $case c$case" ;;
			skip) echo "    ok $case c$case # SKIP no swap" ;;
			esac
		done
		case $line in
		*not*) echo "not ok $suite s$suite" ;;
		*ok*) echo "ok $suite s$suite" ;;
		*) echo "ok $suite s$suite # SKIP" ;;
		esac
	done
}
judged 4 0 0 'KUnit suites that pass' < <(suites 'ok ok' ok)
judged 3 1 0 'one with a case that fails' < <(suites 'ok not' ok)
judged 3 0 1 'one with a case that is skipped' < <(suites 'ok skip' ok)
judged 2 1 2 'one of which all cases are skipped' < <(suites 'skip skip' ok)
# in_test POINTS CASES: a guest test that runs a suite, and has a point after it
in_test() { echo "1..$1"; suites "$2"; echo '# ktap over'; echo 'ok 9 - nothing is left'; }
judged 3 0 0 'a test with a suite in it' < <(in_test 3 'ok ok')
judged 2 1 0 'one with a case that fails' < <(in_test 3 'ok not')
judged 2 1 0 'one with a case that is gone' < <(in_test 3 'ok')
judged 1 1 0 'a suite that is cut short' < <(echo 1..2; suites 'ok ok' | head -n 6)
judged 1 1 0 'one that says nothing' < <(echo 1..2; echo 'KTAP version 1'; echo '# ktap over'; echo 'ok 1 - nothing is left')

n=$((n + 1))
alone=$(sed -n '/^static struct kunit_suite /,/^}/s/.*\.name = "\(.*\)".*/\1/p' tests/kunit/*.c | while read -r suite; do
	[[ $suite == rust_* ]] && grep -q -F 'in rust_*/run' tests/vm/kunit.sh && continue
	grep -q -x "suite $suite" tests/vm/*.sh || grep -q -w "$suite" scripts/measure.sh || echo "$suite"
done)
[ -z "$alone" ] || { bad=1 && printf 'not '; }
echo "ok $n - each suite in C has a file in tests/vm, or the measurement timing, that runs it${alone:+: not }$alone"
exit $bad
