#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ab.sh: what storing, loading and freeing of a page cost in zswap, in C and in Rust, both in one kernel and by turns
# on the same folios and slots: tests/kunit/time.c, in a guest with one CPU whose clock counts executed
# instructions. Three kernels, in each of which the two lie in another order. scripts/ab.py compares, and writes
# docs/performance.md.
. "$(dirname "$0")/lib.sh"
. scripts/guests.sh

runs=1
out=build/ab
rm -rf "$out"
mkdir -p "$out" build/vm
for order in 0 1 2; do
	cat >"$out/$order.config" <<-END
		CONFIG_ZSWAP_TIME_KUNIT_TEST=y
		CONFIG_ZSWAP_AB_KUNIT_TEST=y
		CONFIG_ZSWAP_AB_ORDER=$order
	END
	LIKE=$([ $order = 0 ] || echo ab-0) VARIANT=ab-$order EXTRA_CONFIG=$out/$order.config scripts/kernel.sh rust
done

guest() {
	IMPL=rust VARIANT=$1 exec scripts/vm.sh -n "$1" -r -s 0 -m 512M -a "zswap.enabled=0 kunit.autorun=0" sh ab.sh
}
files() { find "$out" -name 'ab-*[0-9]' -o -name '*.new' | sort; }

guests ab "$out"
for order in 0 1 2; do
	begin ab-$order 1
done
all_ended

scripts/enter.sh python3 scripts/ab.py docs/performance.md "$out"
