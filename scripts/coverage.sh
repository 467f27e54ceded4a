#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# coverage.sh [tests/vm/FILE...]: which lines of the policy the tests in the guest reach, all of them or
# these, by what QEMU translates of it. Nothing is added to the kernel but line tables. The table goes
# into docs/coverage.md, which says why of the rest.
. "$(dirname "$0")/lib.sh"

[ -z "${HOSTTOOLS:-}" ] || die "make coverage wants the toolchain root: leave HOSTTOOLS out"
export IMPL=rust VARIANT=coverage KRUSTFLAGS=-Cdebuginfo=line-tables-only
out=build/coverage
scripts/kernel.sh rust
vmlinux=$out/vmlinux.unstripped
COVER=$(scripts/enter.sh python3 scripts/coverage.py ranges $vmlinux)
[ -n "$COVER" ] || die "$vmlinux has no line tables of the policy"
export COVER

if [ $# = 0 ]; then
	mapfile -t files < <(grep -L '^# only: ' tests/vm/*.sh)
	set -- "${files[@]}" tests/vm/races.sh # as many of its cases as need no points
fi
# Whether or not one fails, which it says itself.
rm -f build/log/coverage-*.cover
tests/run.sh "$@" || true
scripts/enter.sh python3 scripts/coverage.py report $vmlinux build/log/coverage-*.cover
