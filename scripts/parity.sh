#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# parity.sh: one workload (tests/vm/parity.sh) on zswap and the swap cache in C and in Rust, in
# guests with one CPU whose clock counts executed instructions: RUNS times (10) on each, each time
# with another delay before the steps that depend on timing. scripts/parity.py compares, and judges
# the result. Results are kept in build/parity/ as long as neither the kernel nor the workload
# changes.
. "$(dirname "$0")/lib.sh"
. scripts/guests.sh

runs=${RUNS:-10}
number RUNS "$runs" 1 99

kernel() {
	local path
	path=$(make -s where IMPL="$1" | sed -n 's/^image=//p')
	[ -e "$path" ] || die "no kernel at '$path': run make kernel IMPL=$1"
	echo "$path"
}
c=$(kernel c)
rust=$(kernel rust)
rust=$(sha256sum <"$rust" | cut -c1-16)
# The pool's limit is a hundredth of the memory not used by the kernel's image. One image is some
# forty pages larger than the other; with 514 MiB, a hundredth is the same number of pages for both,
# with some twenty pages of margin (max_pool_percent.4.pages, in the workload).
guest=(-r -m 514M) args="zswap.enabled=0 kunit.enable=0"
key=$({ echo "${guest[*]} $args"; cat "$c" tests/vm/{parity,params,lib,writeback-paths}.sh tests/vm/init tests/vm/guest/{,*/}*.[ch] scripts/{initramfs,vm}.sh; } | sha256sum | cut -c1-16)
from=build/parity/$key
mkdir -p "$from"
rm -f "$from"/*.new
if [ "$(cat "$from/kernel" 2>/dev/null)" != "$rust" ]; then
	rm -f "$from"/rust.*
	echo "$rust" >"$from/kernel"
fi
mkdir -p build/vm

guest() {
	IMPL=$1 exec scripts/vm.sh -n "parity-$1-$2" "${guest[@]}" -a "$args delay=$(($2 % 10))" sh parity.sh
}
files() { find "$from" -name '*.new' | sort; }

guests parity "$from"
for impl in c rust; do
	for ((n = 1; n <= runs; n++)); do
		if [ -e "$from/$impl.$n" ]; then
			echo "parity $impl $n ... kept from before"
		else
			begin $impl "$n"
		fi
	done
done
all_ended

mapfile -t files < <(for impl in c rust; do seq -f "$from/$impl.%g" "$runs"; done)
scripts/enter.sh python3 scripts/parity.py -v docs/parity.md "${files[@]}" >build/parity/rows.md || : # as below
failed=
scripts/enter.sh python3 scripts/parity.py docs/parity.md "${files[@]}" >build/parity/differences.md || failed=failed
cat build/parity/differences.md
scripts/enter.sh python3 scripts/figures.py put parity ${failed:+failed} <build/parity/differences.md
[ -z "$failed" ]
