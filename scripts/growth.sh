#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# growth.sh [check]: how the cost of swapping grows with the size of folios, with cgroups and with the pages in
# zswap, up to UPTO (4194304), in C and in Rust: bench/growth.sh, in a guest of each whose clock counts executed
# instructions. scripts/growth.py writes the table of docs/performance.md; its picture is docs/growth.svg. With
# check, only validates the input.
. "$(dirname "$0")/lib.sh"
. scripts/guests.sh

upto=${UPTO:-4194304}
number UPTO "$upto" 65536 4194304
[ "${1:-}" != check ] || exit 0

# One boot of each: the cost of a row is the same in each.
# shellcheck disable=SC2034 # for guests.sh
runs=1
both_kernels

out=build/growth
rm -rf "$out"
mkdir -p "$out" build/vm

# A RAM disk of as many pages, of which none is written: zswap has them all.
args="zswap.enabled=0 kunit.enable=0 brd.rd_size=$(((upto + 65536) * 4))"

guest() {
	IMPL=$1 exec scripts/vm.sh -n "growth-$1" -r -m 3G -t 1800 -a "$args" sh growth.sh "$upto"
}
files() { find "$out" -name '*[0-9]' -o -name '*.new' | sort; }

guests growth "$out"
for impl in c rust; do
	begin $impl 1
done
all_ended

scripts/enter.sh python3 scripts/growth.py docs/performance.md "$out"
scripts/pictures.sh growth
