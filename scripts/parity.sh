#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# parity.sh: one workload (tests/vm/parity.sh) on C's zswap and on the Rust one, in guests with
# one CPU whose clock is the instructions that it has executed: RUNS times (10) on C, each time
# with another delay before what timing can move, and three times on Rust. scripts/parity.py
# compares, and says how it ends. What C gave is kept in build/parity/, for as long as neither
# its kernel nor the workload changes.
. "$(dirname "$0")/lib.sh"

runs=${RUNS:-10}
[[ $runs =~ ^[1-9][0-9]{0,2}$ ]] || die "RUNS=$runs is no number of runs: give one from 1 to 999"

kernel() {
	local path
	path=$(make -s where IMPL="$1" | sed -n 's/^bzImage=//p')
	[ -e "$path" ] || die "no kernel at '$path': run make kernel IMPL=$1"
	echo "$path"
}
c=$(kernel c)
kernel rust >/dev/null
guest=(-r -m 512M -t 1800) args="zswap.enabled=0 kunit.enable=0"
key=$({ echo "${guest[*]} $args"; cat "$c" tests/vm/{parity,params,lib,ways}.sh tests/vm/init tests/vm/guest/* scripts/{initramfs,vm}.sh; } | sha256sum | cut -c1-16)
from=build/parity/$key
mkdir -p "$from"
rm -f "$from"/rust.* "$from"/*.new
mkdir -p build/vm
scripts/enter.sh bash scripts/initramfs.sh build/vm/initramfs.cpio # once, not by each guest

# one IMPL N DELAY: to be started in the background, as the guest that can be stopped
one() {
	IMPL=$1 exec scripts/vm.sh -n "parity-$1-$2" "${guest[@]}" -a "$args delay=$3" \
		sh parity.sh >"$from/$1.$2.new" 2>"$from/$1.$2.err"
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
	rows=$from/${run/ /.}
	[ "$status" = 0 ] || die "parity $run: $(tail -n 1 "$rows.err")"
	mv "$rows.new" "$rows"
	echo "parity $run of $(total "${run% *}") ... ok $(took "${began[$pid]}")"
	unset "what[$pid]"
}
total() { if [ "$1" = c ]; then echo "$runs"; else echo $((runs < 3 ? 1 : 3)); fi; }

start=$(now_ms)
while sleep 15; do
	(cd "$from" && wc -l -- *.new 2>/dev/null) |
		awk -v took="$(took "$start")" '$2 ~ /new/ { sub(/\.new/, "", $2); sub(/\./, " ", $2); s = s ", " $2 ": " $1 " rows" }
			END { print "parity ... " took s }'
done &
beat=$!
for impl in c rust; do
	for ((n = 1; n <= $(total $impl); n++)); do
		[ ! -e "$from/$impl.$n" ] || { echo "parity $impl $n ... kept from before" && continue; }
		[ ${#what[@]} -lt "$JOBS" ] || reap
		# Rust's three are spread as far as C's ten are.
		one $impl "$n" "$([ $impl = c ] && echo $((n % 10)) || echo $((n * 3)))" &
		what[$!]="$impl $n" began[$!]=$(now_ms)
		echo "parity $impl $n ..."
	done
done
while [ ${#what[@]} != 0 ]; do reap; done
kill "$beat"
beat=
echo "parity: all runs ... ok $(took "$start")"

mapfile -t files < <(for impl in c rust; do seq -f "$from/$impl.%g" "$(total $impl)"; done)
scripts/enter.sh python3 scripts/parity.py -v docs/parity.md "${files[@]}" >build/parity/rows.md || : # as below
scripts/enter.sh python3 scripts/parity.py docs/parity.md "${files[@]}"
