# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by tests/run.sh: reads TAP, shows each point on a line, and counts.

passed=0 failed=0 skipped=0
failures=() # their names

# result ok|FAILED|skip TEST [SECONDS]
result() {
	printf '%-6s  %-80s %6s\n' "$1" "$2" "${3:-}"
	case $1 in
	ok) passed=$((passed + 1)) ;;
	skip) skipped=$((skipped + 1)) ;;
	*)
		failed=$((failed + 1))
		failures+=("$2")
		;;
	esac
}

# tap NAME: counts the TAP on standard input. "# file X" goes over to the test X. planned[X] may be set
# before; a point that never comes is a failed one. Of a test in must_run, none may be skipped; of the
# others not all, if the test doesn't say so before any of it ("1..0 # SKIP why").
declare -A planned=() seen=() ran=() must_run=()
tap() {
	local test=$1 line name verdict last took why missing
	last=$(now_ms)
	planned[$test]=${planned[$test]:-1}
	while IFS= read -r line; do
		case $line in
		"# file "*) test=${line#\# file } ;;
		"1..0 # SKIP"*)
			planned[$test]=0 ran[$test]=none
			verdict=skip
			[ -z "${must_run[$test]:-}" ] || verdict=FAILED
			result $verdict "$test: none of it: ${line#*SKIP }"
			;;
		1..[0-9]*) planned[$test]=${line#1..} ;;
		"ok "* | "not ok "*)
			[ "${line%% *}" = ok ] && verdict=ok || verdict=FAILED
			name=${line#*- } took=$(took "$last") last=$(now_ms) why=''
			case $name in
			*' # SKIP'*)
				why=": skipped: ${name#*\# SKIP}" name=${name%% \# SKIP*} took=''
				[ $verdict != ok ] || [ -n "${must_run[$test]:-}" ] && verdict=FAILED || verdict=skip
				;;
			*' # '*) took=${name##* # } name=${name% # *} ;;
			esac
			seen[$test]=$((${seen[$test]:-0} + 1))
			[ $verdict = skip ] || ran[$test]=yes
			result $verdict "$test: $name${why/:  /: }" "$took"
			;;
		# What else is said belongs to the point before, or is a death cry.
		*) printf '        %s\n' "$line" ;;
		esac
	done
	for test in "${!planned[@]}"; do
		missing=$((planned[$test] - ${seen[$test]:-0}))
		if [ $missing != 0 ]; then
			[ $missing -gt 0 ] || missing=1
			result FAILED "$test: ${seen[$test]:-0} of its ${planned[$test]} points came"
			failed=$((failed + missing - 1)) # each that didn't come
		elif [ -z "${ran[$test]:-}" ]; then
			result FAILED "$test: nothing of it ran"
		fi
	done
	planned=() seen=() ran=() must_run=()
}

# cases LOG: the KUnit suites of this log as TAP, by the kernel's own parser. Suites that are one test: "# file
# KUnit SUITE" goes before each.
cases() {
	scripts/enter.sh python3 build/src/tools/testing/kunit/kunit.py parse "$TOP/$1" 2>&1 |
		perl -ne 's/^\[[\d:]+\] //;
			if (/^=+ (\S+) \((\d+) subtests?\) =+$/) { $n = 0; print "# file KUnit $1\n1..$2\n" }
			elsif (/^\[(PASSED|FAILED|CRASHED|TIMEOUT|SKIPPED)\] (\S+)(?: \((.*)\))?/) {
				$shown++;
				print $1 eq "PASSED" || $1 eq "SKIPPED" ? "ok" : "not ok", " ", ++$n, " - $2",
					$1 eq "SKIPPED" ? " # SKIP $3" : "", "\n" }
			elsif (/^\s*#/) { print }
			elsif (/^Testing complete. Ran (\d+) tests/) { $all = $1 }
			END { print "# file KUnit\n", $all && $all == $shown ? "ok" : "not ok", " 1 - all cases are shown\n" }'
}

# kunit LOG: the suites that ran while the kernel of this log came up, each of which is a test.
kunit() { tap KUnit < <(cases "$1"); }

# unfold FILE: TAP, in which the results of KUnit suites become points of the test that ran them: each begins as KTAP
# does and ends with "# ktap over". FILE is where they are put for the parser.
unfold() {
	local line
	while IFS= read -r line; do
		if [[ $line != "KTAP version"* ]]; then
			printf '%s\n' "$line"
			continue
		fi
		: >"$1"
		while [ "$line" != "# ktap over" ]; do
			printf '%s\n' "$line" >>"$1"
			IFS= read -r line || break
		done
		cases "$1" | awk '/^# file KUnit/ { suite = $4 ? $4 "." : "" } /^(not )?ok / { sub(/ - /, " - " suite) }
			!/^# file|^1\.\.|^ok .* - all cases are shown$/'
	done
}
