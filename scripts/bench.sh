#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bench.sh: what swapping takes (bench/), in C and in Rust, counted in instructions: in guests with
# one CPU whose clock is the instructions that it has executed. RUNS boots of each (3), each time
# with another delay; scripts/bench.py compares, and writes docs/performance.md and its picture.
. "$(dirname "$0")/lib.sh"

runs=${RUNS:-3}
[[ $runs =~ ^[1-9][0-9]{0,2}$ ]] || die "RUNS=$runs is no number of runs: give one from 1 to 999"
for impl in c rust; do
	kernel=$(make -s where IMPL=$impl | sed -n 's/^bzImage=//p')
	[ -e "$kernel" ] || die "no kernel at '$kernel': run make kernel IMPL=$impl"
done
# Nothing but the implementation may differ.
differ=$(diff <(sort build/c/.config) <(sort build/rust/.config) |
	sed -n 's/^[<>] \(# \)\?\(CONFIG_[A-Z0-9_a-z]*\).*/\2/p' | sort -u |
	grep -v -x -E 'CONFIG_(ZSWAP_RUST|SWAP_CACHE_RUST)(_KUNIT_TEST)?' | paste -sd' ') || true
[ -z "$differ" ] || die "the two kernels differ in $differ: build both from the same fragments"

out=build/bench
rm -rf "$out"
mkdir -p "$out" build/vm
scripts/enter.sh bash scripts/initramfs.sh build/vm/initramfs.cpio # once, not by each guest

# Without these features a string instruction, which QEMU counts once for each step, does 8 bytes a
# step: a copied page is 512 instructions more than its share, and not 4096.
args="zswap.enabled=0 kunit.enable=0 clearcpuid=erms,fsrm,fsrs"

# one IMPL N: to be started in the background, as the guest that can be stopped
one() {
	IMPL=$1 exec scripts/vm.sh -n "bench-$1-$2" -r -m 512M -t 1800 -a "$args delay=$2" \
		sh rows.sh >"$out/$1.$2" 2>"$out/$1.$2.err"
}

declare -A what=() began=()
beat=
stop_all() {
	local pids=("${!what[@]}" ${beat:+"$beat"})
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || :
	wait
	tidy
}
trap stop_all EXIT

# reap: waits for a run to end
reap() {
	local pid run rows status=0
	wait -n -p pid "${!what[@]}" || status=$?
	run=${what[$pid]}
	rows=$out/${run/ /.}
	[ "$status" = 0 ] || die "bench $run: $(grep -h -a . "$rows.err" "$rows" | grep -v -P '\t' | tail -n 1)"
	echo "bench $run of $runs ... ok $(took "${began[$pid]}")"
	unset "what[$pid]"
}

start=$(now_ms)
while sleep 15; do
	(cd "$out" && wc -l -- *[0-9]) | awk -v took="$(took "$start")" \
		'$2 != "total" { sub(/\./, " ", $2); s = s ", " $2 ": " $1 " rows" } END { print "bench ... " took s }'
done &
beat=$!
for ((n = 1; n <= runs; n++)); do
	for impl in c rust; do
		[ ${#what[@]} -lt "$JOBS" ] || reap
		one $impl "$n" &
		what[$!]="$impl $n" began[$!]=$(now_ms)
		echo "bench $impl $n ..."
	done
done
while [ ${#what[@]} != 0 ]; do reap; done
kill "$beat"
beat=
echo "bench: all runs ... ok $(took "$start")"

scripts/enter.sh python3 scripts/bench.py docs/performance.md docs/performance.svg "$out"
