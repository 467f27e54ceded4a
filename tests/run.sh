#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every test: each on a line with its result and time, then "N passed, N failed, N skipped". A test of
# which nothing ran has failed.
#
# A test in the guest that says "# only: NAME..." is for these kernels, by VARIANT or IMPL; the others are for
# all. For Rust there are two without VARIANT: rust, and debugvm for the tests that name it. IMPL=c runs
# them on C, the reference. One that says "# not: ARCH: WHY" is left out there; so are the
# tests of this machine, which the run without ARCH has.
# usage: tests/run.sh [tests/vm/FILE...]
. "$(dirname "$0")/../scripts/lib.sh"
. tests/judge.sh

export IMPL=${IMPL:-rust}
limit=${TEST_LIMIT:-240} # seconds for one file
number TEST_LIMIT "$limit" 1 99999
start=$(now_ms)
work=$(mktemp -d)
scratch=$work

host_tests() {
	tap input < <(tests/host/input.sh 2>&1)
	tap judge < <(tests/host/judge.sh 2>&1)
	tap selftests < <(tests/host/selftests.sh 2>&1)
	tap measured < <(scripts/enter.sh python3 tests/host/measured.py 2>&1)
	tap races < <(tests/host/races.sh 2>&1)
	tap litmus-files < <(tests/host/litmus.sh 2>&1)
	tap litmus < <(scripts/litmus.sh 2>&1)
	[ "$IMPL" != rust ] || tap built < <(tests/host/built.sh 2>&1)
	# cargo says "test NAME ... ok", and "running N tests" before.
	# Attacks are on the types of the Rust kernel.
	local attacks=(--exclude attack) build
	[ "$IMPL" != rust ] || attacks=()
	build=$(make -s where IMPL=rust | sed -n 's/^build=//p')
	tap host < <({ scripts/enter.sh env KERNEL="$build" cargo test --workspace "${attacks[@]}" --no-fail-fast --quiet --offline \
		--target-dir build/host -- --format=pretty 2>&1 || echo "cargo ended with $?"; } |
		perl -ne 'BEGIN { $| = 1 } if (/^running (\d+)/) { $all += $1 } elsif (/^test (.*) \.\.\. (ok|FAILED|ignored)(?:, (.*))?/) {
			$n++; $bad += $2 eq "FAILED"; print $2 eq "FAILED" ? "not ok" : "ok", " $n - $1", $2 eq "ignored" ? " # SKIP " . ($3 || "ignored") : "", "\n" }
			elsif (/^error|panicked/) { print }
			elsif (/^cargo ended/ && !$bad) { $all++; $n++; print "not ok $n - every test program ends well: $_" } # one has died
			END { print "1..", $all || 1, "\n" }')
}

# boot NAME ARGS FILE...: the tests that want a kernel booted with these arguments; "-r" before them is
# one for scripts/vm.sh.
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
		scripts/vm.sh -n "$name" -t $((limit * 5 / 2)) "${repeat[@]}" -a "${args#-r } limit=$limit" sh suite.sh "$@" 2>"$work/vm" || status=$?
		echo "$status" >"$work/status"
	} | unfold "build/log/$name.ktap")
	wait $! # for the status
	case $(cat "$work/status") in
	0)
		result ok "boot ($args): the kernel complained of nothing"
		! again=$(grep 'booted again$' "$work/vm") || result skip "boot ($args): its first try: $again"
		;;
	143) result FAILED "boot ($args): a test hung" ;;
	*) result FAILED "boot ($args): $(tail -n 1 "$work/vm")" ;;
	esac
}

# only VARIANT FILE: whether the file is for this variant's kernel, by name
only() { grep -q -x "# only:.* $1\( .*\)\?" "$2"; }

# may_skip FILE: whether some of it may be missing: on C, which lacks the points that hold a task; on a kernel
# that isn't said to be for it; or if it says itself what it skips
may_skip() {
	[ "$IMPL" != rust ] && return
	[ -n "${VARIANT:-}" ] && ! only "$VARIANT" "$1" && return
	grep -q -E '^[[:space:]]*(skip|no_leaks) ' "$1"
}

# second FILE: whether it wants the second kernel
second() { [ "$IMPL" = rust ] && [ -z "${VARIANT:-}" ] && only debugvm "$1"; }

# guests FILE...: in as few boots as there are command lines
guests() {
	local boots files i name args kunit=''
	mapfile -t boots < <(sed -n 's/^# boot: //p' "$@" | sort -u)
	for i in "${!boots[@]}"; do
		mapfile -t files < <(grep -l -x -F "# boot: ${boots[i]}" "$@")
		name=$prefix${VARIANT:+$VARIANT-}test-$i args=${boots[i]}
		# The suites in C are run by abi.sh and others, with a swap device as those want it. (kunit.filter,
		# which can leave some out, is a NULL pointer dereference in Rust's.)
		[[ $args == *kunit.* ]] || args+=" kunit.filter_glob=rust_*"
		boot "$name" "$args" "${files[@]##*/}"
		# Once is enough, of the first boot that has them.
		if [ -z "$kunit" ] && [[ $args != *kunit.*=0* ]]; then
			kunit=$name
			kunit "build/log/$name.console"
		fi
	done
}

all=
if [ $# = 0 ]; then
	all=yes
	mapfile -t files < <(for file in tests/vm/*.sh; do
		grep -q -e '^# boot: ' -e '^plan ' "$file" || continue # what tests share
		! why=$(sed -n "s/^# not: ${ARCH:-x86_64}: //p" "$file" | grep .) || { echo "left out: ${file##*/}: $why" >&2; continue; }
		! grep -q '^# only: ' "$file" || only "${VARIANT:-$IMPL}" "$file" || second "$file" || continue
		echo "$file"
	done)
	set -- "${files[@]}"
fi
first=() second=()
for file; do
	[ -f "$file" ] && grep -q '^# boot: ' "$file" || die "$file is no test for a guest: tests/vm has those that have a '# boot:' line"
	if second "$file"; then second+=("$file"); else first+=("$file"); fi
done
for variant in ${first:+"${VARIANT-}"} ${second:+debugvm}; do
	[ -e "$(make -s where IMPL="$IMPL" VARIANT="$variant" | sed -n 's/^image=//p')" ] ||
		die "no kernel to test: run make kernel IMPL=$IMPL${variant:+ VARIANT=$variant EXTRA_CONFIG=scripts/configs/$variant.config}"
done

if [ -z "$all" ]; then
	:
elif [ "${ARCH:-x86_64}" != x86_64 ]; then
	echo "left out: the tests of this machine, and attacks on types: make test without ARCH has them"
else
	host_tests
fi
scripts/accel.sh >"$work/accel"
[ ${#first[@]} = 0 ] || guests "${first[@]}"
[ ${#second[@]} = 0 ] || VARIANT=debugvm guests "${second[@]}"

# Once more, for those who read the end.
[ ${#failures[@]} = 0 ] || printf 'failed: %s\n' "${failures[@]}"
echo "all tests ... $(took "$start")"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
