# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by tests/run.sh: parses TAP, prints a line for each point, and counts.

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

# tap NAME: counts the TAP on standard input. "# file X" starts the test X. planned[X] may be set
# before; a missing point counts as failed. A test in must_run may skip no point; another one may
# not skip all, unless it declares that at the start ("1..0 # SKIP why").
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
		# Other output belongs to the previous point, or precedes a crash.
		*) printf '        %s\n' "$line" ;;
		esac
	done
	for test in "${!planned[@]}"; do
		missing=$((planned[$test] - ${seen[$test]:-0}))
		if [ $missing != 0 ]; then
			[ $missing -gt 0 ] || missing=1
			result FAILED "$test: ${seen[$test]:-0} of its ${planned[$test]} points came"
			failed=$((failed + missing - 1)) # each missing point
		elif [ -z "${ran[$test]:-}" ]; then
			result FAILED "$test: nothing of it ran"
		fi
	done
	planned=() seen=() ran=() must_run=()
}

# cases LOG: converts the KUnit suites of this log to TAP, with the kernel's own parser. "# file
# KUnit SUITE" precedes each suite, which is one test.
points_of_cases() {
	local line n=0 shown=0 all=0 verdict skip
	while IFS= read -r line; do
		[[ ! $line =~ ^\[[0-9:]+\]\ (.*) ]] || line=${BASH_REMATCH[1]}
		if [[ $line =~ ^=+\ ([^ ]+)\ \(([0-9]+)\ subtests?\)\ =+$ ]]; then
			n=0
			printf '# file KUnit %s\n1..%s\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
		elif [[ $line =~ ^\[(PASSED|FAILED|CRASHED|TIMEOUT|SKIPPED)\]\ ([^ ]+)(\ \((.*)\))? ]]; then
			n=$((n + 1)) shown=$((shown + 1)) verdict='not ok' skip=
			case ${BASH_REMATCH[1]} in
			PASSED) verdict=ok ;;
			SKIPPED) verdict=ok skip=" # SKIP ${BASH_REMATCH[4]}" ;;
			esac
			echo "$verdict $n - ${BASH_REMATCH[2]}$skip"
		elif [[ $line =~ ^[[:space:]]*# ]]; then
			printf '%s\n' "$line"
		elif [[ $line =~ ^Testing\ complete\.\ Ran\ ([0-9]+)\ tests ]]; then
			all=${BASH_REMATCH[1]}
		fi
	done
	if [ "$all" = "$shown" ] && [ "$all" != 0 ]; then verdict=ok; else verdict='not ok'; fi
	printf '# file KUnit\n%s 1 - all cases are shown\n' "$verdict"
}
cases() {
	scripts/enter.sh python3 build/src/tools/testing/kunit/kunit.py parse "$TOP/$1" 2>&1 |
		points_of_cases
}

# kunit LOG: counts the suites that ran during the boot of this log, each as a test.
kunit() { tap KUnit < <(cases "$1"); }

# unfold FILE: TAP in which the results of KUnit suites become points of the test that ran them:
# each starts as KTAP and ends with "# ktap over". FILE holds them for the parser.
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
		# The parser fails if a case does: then the rest of the file still follows.
		cases "$1" | awk '/^# file KUnit/ { suite = $4 ? $4 "." : "" } /^(not )?ok / { sub(/ - /, " - " suite) }
			!/^# file|^1\.\.|^ok .* - all cases are shown$/' || :
	done
}
