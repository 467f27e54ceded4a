#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# profile.sh [check]: where in the kernel the instructions of a row of make bench are executed, function by function, in
# C and in Rust: WAY (split) of bench/swapbench.c, CONTENT (text), folios of KIB (4). bench/plugin/profile.c counts
# in guests with one CPU. scripts/profile.py compares; the default row is in docs/performance.md, every function in
# build/profile/functions.tsv. With check, only validates the input.
. "$(dirname "$0")/lib.sh"
. scripts/guests.sh

way=${WAY:-split} content=${CONTENT:-text} kib=${KIB:-4} runs=1 rounds=3
case $way in
out | miss | in | free | scatter | split | ahead | hit | cached | drop | unmap) ;;
*) die "WAY=$way is no row: use out, miss, in, free, scatter, split, ahead, hit, cached, drop or unmap" ;;
esac
case $content in same | holes | text | random | zero) ;; *) die "CONTENT=$content is unknown: use same, holes, text, random or zero" ;; esac
case $kib in 4 | 64 | 2048) ;; *) die "KIB=$kib is no size of folios here: use 4, 64 or 2048" ;; esac
[ "${1:-}" != check ] || exit 0
both_kernels
scripts/plugin.sh

out=build/profile
rm -rf "$out"
mkdir -p "$out" build/vm
guest() {
	# swapbench warms up for two rounds.
	PLUGIN=$TOP/build/plugin/profile.so,out=$TOP/$out/$1.$2.counts,skip=2 IMPL=$1 exec scripts/vm.sh -n "profile-$1-$2" -r -m 512M \
		-a "zswap.enabled=0 kunit.enable=0" sh profile.sh "$kib" "$content" $rounds "$way"
}
files() { find "$out" -name '*[0-9]' -o -name '*.new' | sort; }

guests profile "$out"
for impl in c rust; do
	scripts/enter.sh nm -n -C "build/$impl/vmlinux" >"$out/$impl.symbols"
	begin $impl 1
done
all_ended
doc=docs/performance.md
[ "$way $content $kib" = "split text 4" ] || doc=
scripts/enter.sh python3 scripts/profile.py "$out" "$way" $doc
