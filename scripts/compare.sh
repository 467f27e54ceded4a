#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# compare.sh [check]: writes build/compare.html. With check, then tests it in a browser, with pictures in build/compare.
. "$(dirname "$0")/lib.sh"

if [ -n "${HOSTTOOLS:-}" ]; then
	python3 -c 'import pygments' 2>/dev/null || die "HOSTTOOLS=1, and Python has no pygments: install python3-pygments"
else
	scripts/toolchain.sh compare
	export ENTER_ROOT=$COMPARE_ROOT
fi
scripts/enter.sh python3 scripts/compare.py
[ "${1:-}" = check ] || exit 0

[ -z "${HOSTTOOLS:-}" ] || die "CHECK=1 has a browser of its own: leave HOSTTOOLS out"
scripts/toolchain.sh browser
ENTER_ROOT=$BROWSER_ROOT scripts/enter.sh python3 scripts/browse.py
