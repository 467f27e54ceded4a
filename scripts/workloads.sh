#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# workloads.sh [check]: programs that people run, over the limit of their cgroup, on C and on Rust, with folios of 4 and of
# 64 KiB (bench/workloads.sh). Each of these runs in a guest of its own and must end well, with the right results. Then
# RUNS guests of each kernel (5), with one CPU whose clock counts instructions, count those of some of the programs for
# each page moved. scripts/workloads.py writes the tables of docs/workloads.md.
#
# ONLY="usemem sort" and FOLIOS=4 are for tries: nothing is written, and nothing counted unless RUNS is given.
# With check, only validates the input.
. "$(dirname "$0")/lib.sh"
. scripts/guests.sh

all=(usemem sort valkey gcc stress-ng memtester postgresql)
read -ra names <<<"${ONLY:-${all[*]}}"
read -ra sizes <<<"${FOLIOS:-4 64}"
for name in "${names[@]}"; do
	[[ " ${all[*]} " == *" $name "* ]] || die "ONLY=$ONLY: there is no workload '$name': use ${all[*]}"
done
for kib in "${sizes[@]}"; do
	[[ $kib == 4 || $kib == 64 ]] || die "FOLIOS=$FOLIOS: use 4, 64 or both"
done
runs=${RUNS:-5}
number RUNS "$runs" 1 99
[ "${1:-}" != check ] || exit 0
try=${ONLY:-}${FOLIOS:-}

kernel() { # IMPL COMMAND...
	local impl=$1
	shift
	IMPL=$impl VARIANT=workloads-$impl LIKE=workloads-c EXTRA_CONFIG=scripts/workloads.config "$@"
}
for impl in c rust; do
	kernel $impl scripts/kernel.sh $impl
done
scripts/workloads-disk.sh
disk=$TOP/build/workloads/disk.img

# The rows of an interrupted run are kept, as long as nothing that they depend on has changed.
key=$({ cat build/workloads-{c,rust}/arch/x86/boot/bzImage build/workloads/disk.img.key bench/{workloads.sh,usemem.c} tests/vm/{init,lib.sh,counted.sh,steps.sh} scripts/vm.sh; } |
	sha256sum | cut -c1-16)
out=build/workloads/rows-$key
for old in build/workloads/rows-*; do
	[ "$old" = "$out" ] || rm -rf "$old"
done
mkdir -p "$out" build/vm
args="kunit.enable=0"

# one NAME KIB IMPL: runs it in a guest. Its row, or what is wrong, goes to IMPL.NAME.KIB.
one() {
	local label="workloads $1 $2 KiB $3"
	if [ -z "$try" ] && grep -q -s -P "^$1\t$2\t" "$out/$3.$1.$2"; then
		echo "$label ... kept from an earlier run"
		return
	fi
	if attempt "$label" kernel "$3" scripts/vm.sh -n "workloads-$1-$2-$3" -d "$disk" -a "$args" sh workloads.sh "$1" "$2"; then
		grep -P "^$1\t$2\t" "build/log/workloads-$1-$2-$3.out" >"$out/$3.$1.$2"
	else
		echo "$label ... WRONG: $(tail -n 1 "$LOG")"
		tail -n 1 "$LOG" >"$out/$3.$1.$2"
	fi
}
for name in "${names[@]}"; do
	for kib in "${sizes[@]}"; do
		for impl in c rust; do
			one "$name" "$kib" $impl
		done
	done
done

counts=
if [ -z "$try" ] || [ -n "${RUNS:-}" ]; then
	counts=build/workloads/counts
	rm -rf $counts
	mkdir -p $counts
	counted=()
	for name in usemem sort valkey; do
		[[ " ${names[*]} " != *" $name "* ]] || counted+=("$name")
	done
	guest() {
		kernel "$1" exec scripts/vm.sh -n "workloads-$1-$2" -r -m 768M -t 1800 -d "$disk" -a "zswap.enabled=0 $args" \
			sh workloads.sh count "$2" "'${counted[*]}'" "'${sizes[*]}'"
	}
	files() { find $counts -name '*[0-9]' -o -name '*.new' | sort; }
	if [ ${#counted[@]} != 0 ]; then
		guests workloads $counts
		for ((n = 1; n <= runs; n++)); do
			for impl in c rust; do
				begin $impl "$n"
			done
		done
		all_ended
	fi
fi

scripts/enter.sh python3 scripts/workloads.py ${try:+-n} docs/workloads.md "$out" ${counts:+"$counts"}
