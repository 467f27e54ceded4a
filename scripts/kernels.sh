#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels.sh: tests more than one kernel. All of them run, even if one fails. All but exports end with a table.
#
#   kernels           the four combinations of C and Rust without the checks of make test's kernel: with only Rust all tests
#                     in guests that don't need these, else the most telling quick ones
#   configs           the configurations of scripts/configs, or those of CONFIGS, with the tests that each names
#   sanitize [check]  KUnit, the guest tests and MINUTES=5 of the stress under KASAN, lockdep, PROVE_RCU, DEBUG_VM, DEBUG_LIST,
#                     DEBUG_ATOMIC_SLEEP and kmemleak; then under KCSAN, whose reports kcsan.py judges. SEEDED=n instead
#                     boots kernels with data races (kcsan.sh). With check, only validates the input
#   exports           compares the symbols that two kernels export to modules: with the project laid on the source but not
#                     enabled, and without the project. Fails, and shows the difference, if there is one
. "$(dirname "$0")/lib.sh"

# tested NAME TEST...: builds the kernel of IMPL and VARIANT, and runs these tests of tests/vm on it. Sets built, ran and
# result for the table.
bad=0 table=()
tested() {
	local log=build/log/tests-$1.log start
	shift
	: >"$log"
	start=$(now_ms) ran=- result="doesn't build"
	if scripts/kernel.sh "$IMPL"; then
		built=$(took "$start")
		start=$(now_ms)
		tests/run.sh "${@/#/tests/vm/}" | tee "$log" || bad=$((bad + 1))
		ran=$(took "$start")
		result=$(tail -n 1 "$log")
	else
		built=$(took "$start") bad=$((bad + 1))
	fi
}
row() { table+=("$(printf "%-12s %9s %9s  %-32s %s" "$@")"); }
# of_fragment NAME FILE: tests the kernel of IMPL with these options, on the machine that the file names
of_fragment() {
	local tests ARCH
	ARCH=$(sed -n 's/^# arch: //p' "$2")
	read -ra tests < <(sed -n 's/^# tests: //p' "$2")
	# What large.sh tests needs both crates, and kunit.sh runs the suites of zswap's.
	[ "$IMPL" = rust ] || mapfile -t tests < <(printf '%s\n' "${tests[@]}" | grep -v -x large.sh)
	[[ $IMPL != @(c|rust-cache) ]] || mapfile -t tests < <(printf '%s\n' "${tests[@]}" | grep -v -x kunit.sh)
	export VARIANT=$1 EXTRA_CONFIG=$2 ARCH
	tested "$1" "${tests[@]}"
}
export IMPL=${IMPL:-rust}
head=$IMPL what=

kernels() {
	head=IMPL
	local tests
	mapfile -t tests < <(grep -l '^# boot: ' tests/vm/*.sh | xargs grep -L '^# only: ')
	mapfile -t -O ${#tests[@]} tests < <(grep -l '^# only: rust plain-rust$' tests/vm/*.sh)
	tests=("${tests[@]#tests/vm/}")
	for IMPL in rust rust-zswap rust-cache c; do
		export VARIANT=plain-$IMPL LIKE=plain-rust
		tested "$VARIANT" "${tests[@]}"
		row "$IMPL" "$built" "$ran" "$result" ''
		tests=(config.sh swapcache.sh abi.sh roundtrip.sh writeback.sh process.sh)
	done
}

configs() {
	local name names=${CONFIGS:-$(basename -s .config scripts/configs/*.config)} files
	what='what it is'
	export TEST_LIMIT=1200 # some are slow
	# Of which they start as copies, except where every object differs.
	# shellcheck disable=SC2086 # names
	files=$(printf 'scripts/configs/%s.config\n' $names)
	# shellcheck disable=SC2086
	[ -z "$(grep -L -x '# every object differs' $files)" ] || VARIANT=plain-$IMPL scripts/kernel.sh "$IMPL"
	for name in $names; do
		of_fragment "$name" "scripts/configs/$name.config"
		row "$name" "$built" "$ran" "$result" "$(sed -n 2s/..//p "scripts/configs/$name.config")"
	done
}

# watched NAME FRAGMENT: all tests that its first lines name, on a kernel with all its options on
watched() {
	local option before=$bad
	of_fragment "$@"
	# kernel.sh also checks that, but this script verifies its own claim.
	while read -r option; do
		grep -q -x -F "$option" "build/$1/.config" && continue
		result="$option isn't set"
		bad=$((bad + 1))
	done < <(grep '^CONFIG_' "build/$1/extra.config" | grep -v '=n$')
	bad=$((before + (bad > before))) # one row
	row "$1" "$built" "$ran" "$result" ''
	unset VARIANT EXTRA_CONFIG
}
# timed NAME COMMAND...: its row
timed() {
	local start
	start=$(now_ms) result=passed
	"${@:2}" || { result=FAILED && bad=$((bad + 1)); }
	row "$1" - "$(took "$start")" "$result" ''
}
sanitize() {
	[ -z "${SEEDED:-}" ] || exec scripts/kcsan.sh "$@"
	export MINUTES=${MINUTES:-5}
	export TEST_LIMIT=1200 # they are slow
	scripts/random.sh stress check
	[ "${1:-}" != check ] || exit 0
	watched debug scripts/configs/debug.config
	timed stress scripts/random.sh stress
	rm -f build/log/{kcsan-test-*,stress-kcsan,load-kcsan}.console
	watched kcsan scripts/kcsan.config
	[ "$ran" != - ] || return 0 # there is no kernel
	export VARIANT=kcsan EXTRA_CONFIG=scripts/kcsan.config
	timed 'stress kcsan' scripts/random.sh stress
	timed 'load kcsan' scripts/vm.sh -n load-kcsan -a zswap.enabled=1 sh load.sh 300
	timed 'data races' scripts/enter.sh python3 scripts/kcsan.py build/kcsan build/log/{kcsan-test-*,stress-kcsan,load-kcsan}.console
}

build_without() {
	mkdir -p "$without" && cp "$with/.config" "$without/.config" || return
	# The same path for both, so that ccache compiles equal files once.
	ENTER_SRC=$src scripts/enter.sh make -C build/src CC="ccache clang" O="$TOP/$without" -j"$JOBS" "${KBUILD[@]}" olddefconfig vmlinux
}
exported() { scripts/enter.sh nm "$1/vmlinux" | sed -n 's/.* __ksymtab_//p' | sort; }
exports() {
	local with=build/exports without=build/exports-without src=build/exports-src
	check_ksrc
	VARIANT=exports EXTRA_CONFIG=scripts/exports.config TARGET=vmlinux scripts/kernel.sh c
	step "source without the project" copy_source "$(pristine)" $src
	step "kernel without the project" build_without
	exported $with >$with.list
	exported $without >$without.list
	echo "$(wc -l <$without.list) symbols are exported without the project, $(wc -l <$with.list) with it"
	[ -s $without.list ] || die "no exported symbol was found: see $without/vmlinux"
	diff $without.list $with.list || die "the project changes the exported symbols although both implementations are C"
	exit 0
}

case ${1:-} in
kernels | configs | sanitize | exports) ;;
*) die "usage: scripts/kernels.sh kernels | configs | sanitize [check] | exports" ;;
esac
"$@"
printf '\n%-12s %9s %9s  %-32s %s\n' "$head" built tested result "$what"
printf '%s\n' "${table[@]}"
[ "$bad" = 0 ] || die "$bad of ${#table[@]} failed: see build/log"
echo "all ${#table[@]} passed"
