#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every test: each on a line with its result and time, then "N passed, N failed".
# IMPL=c runs them on C's zswap, the reference. usage: tests/run.sh [tests/vm/FILE...]
. "$(dirname "$0")/../scripts/lib.sh"

export IMPL=${IMPL:-rust}
limit=${TEST_LIMIT:-240} # seconds for one file
passed=0 failed=0
start=$(now_ms)
work=$(mktemp -d)
scratch=$work

# result ok|FAILED TEST [SECONDS]
result() {
	printf '%-6s  %-80s %6s\n' "$1" "$2" "${3:-}"
	if [ "$1" = ok ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# tap NAME: counts the TAP on standard input. "# file X" goes over to the test X.
# planned[X] may be set before; a point that never comes is a failed one.
declare -A planned seen
tap() {
	local test=$1 line name verdict last took missing
	last=$(now_ms)
	planned[$test]=${planned[$test]:-1}
	while IFS= read -r line; do
		case $line in
		"# file "*) test=${line#\# file } ;;
		1..[0-9]*) planned[$test]=${line#1..} ;;
		"ok "* | "not ok "*)
			[ "${line%% *}" = ok ] && verdict=ok || verdict=FAILED
			name=${line#*- } took=$(took "$last") last=$(now_ms)
			[[ $name != *' # '* ]] || took=${name##* # } name=${name% # *}
			seen[$test]=$((${seen[$test]:-0} + 1))
			result $verdict "$test: $name" "$took"
			;;
		# What else is said belongs to the point before, or is a death cry.
		*) printf '        %s\n' "$line" ;;
		esac
	done
	for test in "${!planned[@]}"; do
		missing=$((planned[$test] - ${seen[$test]:-0}))
		[ $missing != 0 ] || continue
		[ $missing -gt 0 ] || missing=1
		result FAILED "$test: ${seen[$test]:-0} of its ${planned[$test]} points came"
		failed=$((failed + missing - 1)) # each that didn't come
	done
	planned=() seen=()
}

host_tests() {
	tap input < <(tests/host/input.sh 2>&1)
	tap selftests < <(tests/host/selftests.sh 2>&1)
	tap measured < <(scripts/enter.sh python3 tests/host/measured.py 2>&1)
	tap races < <(tests/host/races.sh 2>&1)
	tap litmus < <(tests/host/litmus.sh 2>&1)
	[ "$IMPL" != rust ] || tap built < <(tests/host/built.sh 2>&1)
	# cargo says "test NAME ... ok", and "running N tests" before.
	# Attacks are on the types of the Rust kernel.
	local attacks=(--exclude attack) build
	[ "$IMPL" != rust ] || attacks=()
	build=$(make -s where IMPL=rust | sed -n 's/^build=//p')
	tap host < <(scripts/enter.sh env KERNEL="$build" cargo test --workspace "${attacks[@]}" --no-fail-fast --quiet --offline \
		--target-dir build/host -- --format=pretty 2>&1 |
		perl -ne 'BEGIN { $| = 1 } if (/^running (\d+)/) { $all += $1 } elsif (/^test (.*) \.\.\. (\w+)/) {
			$n++; print $2 eq "FAILED" ? "not ok" : "ok", " $n - $1\n" } elsif (/^error|panicked/) { print }
			END { print "1..", $all || 1, "\n" }')
}

# kunit LOG: the suites that ran while the kernel of this log came up.
kunit() {
	tap KUnit < <(scripts/enter.sh python3 build/src/tools/testing/kunit/kunit.py parse "$TOP/$1" 2>&1 |
		perl -ne 's/^\[[\d:]+\] //; if (/^=+ (\S+) \(\d+ subtests?\) =+$/) { $suite = $1 }
			elsif (/^\[(PASSED|FAILED|CRASHED|TIMEOUT)\] (.*)/) {
				$n++; print $1 eq "PASSED" ? "ok" : "not ok", " $n - $suite: $2\n" }
			END { print "1..", $n || 1, "\n" }')
}

# boot NAME ARGS FILE...: the tests that want a kernel booted with these arguments; "-r" before them is
# one for scripts/vm.sh.
boot() {
	local name=$1 args=$2 file points repeat=()
	shift 2
	[[ $args != "-r "* ]] || repeat=(-r)
	for file; do
		points=$(sed -n 's/^plan \([0-9]*\)$/\1/p' "tests/vm/$file")
		planned[$file]=${points:-1}
	done
	tap "$1" < <(
		status=0
		scripts/vm.sh -n "$name" -t $((limit * 5 / 2)) "${repeat[@]}" -a "${args#-r } limit=$limit" sh suite.sh "$@" 2>"$work/vm" || status=$?
		echo "$status" >"$work/status"
	)
	wait $! # for the status
	case $(cat "$work/status") in
	0) result ok "boot ($args): the kernel complained of nothing" ;;
	143) result FAILED "boot ($args): a test hung" ;;
	*) result FAILED "boot ($args): $(tail -n 1 "$work/vm")" ;;
	esac
}

[ -e "$(make -s where IMPL="$IMPL" | sed -n 's/^bzImage=//p')" ] ||
	die "no kernel to test: run make kernel IMPL=$IMPL"

if [ $# = 0 ]; then
	host_tests
	mapfile -t files < <(grep -L '^# only: ' tests/vm/*.sh)
	set -- "${files[@]}"
fi
# As few boots as there are command lines.
mapfile -t boots < <(sed -n 's/^# boot: //p' "$@" | sort -u)
scripts/accel.sh >"$work/accel"
kunit=''
for i in "${!boots[@]}"; do
	mapfile -t files < <(grep -l -x -F "# boot: ${boots[i]}" "$@")
	name=${VARIANT:+$VARIANT-}test-$i
	boot "$name" "${boots[i]}" "${files[@]##*/}"
	# Once is enough, of the first boot that has them.
	if [ -z "$kunit" ] && [[ ${boots[i]} != *kunit.*=0* ]]; then
		kunit=$name
		kunit "build/log/$name.console"
	fi
done

echo "all tests ... $(took "$start")"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
