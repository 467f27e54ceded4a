#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# coverage.sh [tests/vm/FILE...]: the lines of the policy that the guest tests reach, all of them or
# these, from the code that QEMU translates. The kernel gets only line tables in addition. The table of all tests
# goes into docs/coverage.md, which gives the reason for each line not reached.
. "$(dirname "$0")/lib.sh"

[ -z "${HOSTTOOLS:-}" ] || die "make coverage requires the toolchain root: leave HOSTTOOLS out"
export IMPL=rust VARIANT=coverage KRUSTFLAGS=-Cdebuginfo=line-tables-only
out=build/coverage
scripts/kernel.sh rust
vmlinux=$out/vmlinux.unstripped
COVER=$(scripts/enter.sh python3 scripts/coverage.py ranges $vmlinux)
[ -n "$COVER" ] || die "$vmlinux has no line tables of the policy"
export COVER

what=show
if [ $# = 0 ]; then
	what=report
	mapfile -t files < <(grep -L '^# only: ' tests/vm/*.sh)
	set -- "${files[@]}" tests/vm/races.sh # those of its cases that need no race points
fi
# Whether or not a test fails, which it reports itself.
rm -f build/log/coverage-*.cover
tests/run.sh "$@" || true
scripts/enter.sh python3 scripts/coverage.py "$what" $vmlinux build/log/coverage-*.cover
