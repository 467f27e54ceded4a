#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# coverage.sh [tests/vm/FILE...]: which lines of the policy the tests reach, all of them or these: in
# the kernel, by what QEMU translates of it, and on the host, by what llvm-cov counts. Nothing is added
# to the kernel but line tables. The table goes into docs/coverage.md, which says why of the rest.
. "$(dirname "$0")/lib.sh"

[ -z "${HOSTTOOLS:-}" ] || die "make coverage wants the toolchain root: leave HOSTTOOLS out"
export IMPL=rust VARIANT=coverage KRUSTFLAGS=-Cdebuginfo=line-tables-only
out=build/coverage
if [ ! -e $out/.config ] && [ -e build/rust/vmlinux ]; then
	step "copy for coverage" cp -a build/rust $out
fi
scripts/kernel.sh rust
vmlinux=$out/vmlinux.unstripped
COVER=$(scripts/enter.sh python3 scripts/coverage.py ranges $vmlinux)
[ -n "$COVER" ] || die "$vmlinux has no line tables of the policy"
export COVER

# Of all tests, whether or not one fails, which it says itself.
rm -f build/log/coverage-*.cover
tests/run.sh "$@" || true

# shellcheck disable=SC2016 # expanded in the root
step "host coverage" scripts/enter.sh bash -euc '
	target=build/host-coverage
	rm -rf $target/*.profraw
	export RUSTFLAGS=-Cinstrument-coverage LLVM_PROFILE_FILE=$PWD/$target/%p-%m.profraw
	cargo test --quiet --offline --target-dir $target
	llvm-profdata merge -sparse -o $target/all.profdata $target/*.profraw
	objects=()
	for test in $target/debug/deps/*; do
		[ ! -x "$test" ] || [ -d "$test" ] || [[ $test == *.so ]] || objects+=(-object "$test")
	done
	llvm-cov export --format=lcov -instr-profile=$target/all.profdata "${objects[@]}" >$target/lcov'
scripts/enter.sh python3 scripts/coverage.py report $vmlinux build/host-coverage/lcov build/log/coverage-*.cover
