#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs every test: one line each with result and time, then "N passed, N failed, N skipped". A test
# of which nothing ran has failed.
#
# A guest test with "# only: NAME..." is for these kernels, by VARIANT or IMPL; the others are for
# all. IMPL=c runs the tests on C, the reference. A test with "# not: ARCH: WHY" is left out there,
# as are the host tests, which the run without ARCH includes.
# usage: tests/run.sh [tests/vm/FILE...]
. "$(dirname "$0")/../scripts/lib.sh"
. tests/judge.sh

export IMPL=${IMPL:-rust}
number TEST_LIMIT "${TEST_LIMIT:-300}" 1 99999
start=$(now_ms)
work=$(mktemp -d)
scratch=$work

# points_of_cargo: TAP of cargo's "running N tests" and "test NAME ... ok".
points_of_cargo() {
	local line n=0 all=0 bad=
	while IFS= read -r line; do
		if [[ $line =~ ^running\ ([0-9]+) ]]; then
			all=$((all + BASH_REMATCH[1]))
		elif [[ $line =~ ^test\ (.*)\ \.\.\.\ (ok|FAILED|ignored)(,\ (.*))? ]]; then
			n=$((n + 1))
			case ${BASH_REMATCH[2]} in
			ok) echo "ok $n - ${BASH_REMATCH[1]}" ;;
			FAILED) bad=yes && echo "not ok $n - ${BASH_REMATCH[1]}" ;;
			ignored) echo "ok $n - ${BASH_REMATCH[1]} # SKIP ${BASH_REMATCH[4]:-ignored}" ;;
			esac
		elif [[ $line =~ ^error|panicked ]]; then
			printf '%s\n' "$line"
		elif [[ $line == "cargo ended"* && -z $bad ]]; then # a program has died
			all=$((all + 1)) n=$((n + 1))
			echo "not ok $n - every test program ends well: $line"
		fi
	done
	echo "1..$((all ? all : 1))"
}

host_tests() {
	local limits cargo build
	tests/host/limits.sh >"$work/limits" 2>&1 & # waits for most of its time
	limits=$!
	# Takes one CPU for as long as the next ones take another.
	{
		scripts/enter.sh cargo test --workspace --no-fail-fast --quiet --offline \
			--target-dir build/host -- --format=pretty || echo "cargo ended with $?"
	} >"$work/cargo" 2>&1 &
	cargo=$!
	tap input < <(tests/host/input.sh 2>&1)
	tap judge < <(tests/host/judge.sh 2>&1)
	tap selftests < <(tests/host/selftests.sh 2>&1)
	tap unsafe < <(scripts/enter.sh python3 tests/host/unsafe.py 2>&1)
	tap measured < <(scripts/enter.sh python3 tests/host/measured.py 2>&1)
	tap results < <(tests/host/results.sh 2>&1)
	tap races < <(tests/host/races.sh 2>&1)
	tap litmus-files < <(tests/host/litmus.sh 2>&1)
	tap litmus < <(scripts/litmus.sh 2>&1)
	wait $limits || :
	tap limits <"$work/limits"
	if [ "$IMPL" = rust ]; then
		tap built < <(tests/host/built.sh 2>&1)
		# Attacks target the types of the Rust kernel.
		build=$(make -s where IMPL=rust | sed -n 's/^build=//p')
		tap host < <(scripts/enter.sh env KERNEL="$build" python3 tests/host/attack.py 2>&1)
	fi
	# Shown as it comes, with what has come already.
	tap host < <(tail -n +1 -f --pid=$cargo "$work/cargo" | points_of_cargo)
}

# boot NAME ARGS FILE...: runs the tests that need a kernel booted with these arguments; a leading
# "-r" goes to scripts/vm.sh.
boot() {
	local name=$1 args=$2 file points again repeat=()
	shift 2
	[[ $args != "-r "* ]] || repeat=(-r)
	for file; do
		points=$(sed -n 's/^plan \([0-9]*\)$/\1/p' "tests/vm/$file")
		planned[$file]=${points:-1}
		may_skip "tests/vm/$file" || must_run[$file]=yes
	done
	tap "$1" < <({
		status=0
		scripts/vm.sh -n "$name" "${repeat[@]}" -a "${args#-r }" sh suite.sh "$@" 2>"$work/vm" || status=$?
		echo "$status" >"$work/status"
	} | unfold "build/log/$name.ktap")
	wait $! # for the status
	case $(cat "$work/status") in
	0)
		result ok "boot ($args): the kernel complained of nothing"
		! again=$(grep 'booted again$' "$work/vm") || result skip "boot ($args): its first try: $again"
		;;
	*) result FAILED "boot ($args): $(tail -n 1 "$work/vm")" ;;
	esac
}

# only VARIANT FILE: whether the file names this variant's kernel
only() { grep -q -x "# only:.* $1\( .*\)\?" "$2"; }

# may_skip FILE: whether parts of it may be skipped: on C, which lacks race points; on a kernel that
# it doesn't name; or if it skips points itself
may_skip() {
	[ "$IMPL" != rust ] && return
	[ -n "${VARIANT:-}" ] && [ "$VARIANT" != plain-rust ] && ! only "$VARIANT" "$1" && return
	grep -q -E '^[[:space:]]*(skip|no_leaks) ' "$1"
}

# guests FILE...: runs them with one boot for each command line
guests() {
	local boots files i name args autorun=1 config
	# One suite of the kernel's own isn't written for PREEMPT_RT: kunit.sh leaves it out there.
	config=$(make -s where IMPL="$IMPL" | sed -n 's/^config=//p')
	! grep -q -x CONFIG_PREEMPT_RT=y "$config" || autorun=0
	mapfile -t boots < <(sed -n 's/^# boot: //p' "$@" | sort -u)
	for i in "${!boots[@]}"; do
		mapfile -t files < <(grep -l -x -F "# boot: ${boots[i]}" "$@")
		name=$prefix${VARIANT:+$VARIANT-}test-$i args=${boots[i]}
		# abi.sh and others run the suites in C, with the swap device that these need.
		# (kunit.filter, which could exclude suites, causes a NULL pointer dereference with
		# those in Rust.)
		[[ $args == *kunit.* ]] || args+=" kunit.autorun=$autorun kunit.filter_glob=rust_*"
		boot "$name" "$args" "${files[@]##*/}"
		[[ $args == *kunit.autorun=1* ]] || continue
		kunit "build/log/$name.console"
		autorun=0 # once is enough
	done
}

all=
if [ $# = 0 ]; then
	all=yes
	mapfile -t files < <(for file in tests/vm/*.sh; do
		grep -q -e '^# boot: ' -e '^plan ' "$file" || continue # shared by tests
		! why=$(sed -n "s/^# not: ${ARCH:-x86_64}: //p" "$file" | grep .) || { echo "left out: ${file##*/}: $why" >&2; continue; }
		! grep -q '^# only: ' "$file" || only "${VARIANT:-$IMPL}" "$file" || continue
		echo "$file"
	done)
	set -- "${files[@]}"
fi
for file; do
	[ -f "$file" ] && grep -q '^# boot: ' "$file" || die "$file is not a guest test: those in tests/vm have a '# boot:' line"
done
[ -e "$(make -s where IMPL="$IMPL" | sed -n 's/^image=//p')" ] || die "no kernel to test: run make kernel IMPL=$IMPL${VARIANT:+ VARIANT=$VARIANT}"

if [ -z "$all" ]; then
	:
elif [ "${ARCH:-x86_64}" != x86_64 ]; then
	echo "left out: the tests of this machine, and attacks on types: make test without ARCH has them"
else
	host_tests
fi
scripts/accel.sh >"$work/accel"
guests "$@"

# Once more, for those who read the end.
[ ${#failures[@]} = 0 ] || printf 'failed: %s\n' "${failures[@]}"
echo "all tests ... $(took "$start")"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
