#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# drawn.sh [check]: mutation testing with mutants that nobody picked. cargo-mutants lists the mutations of the Rust code,
# and SEED (1) draws DRAWN (48) of those that compile. One kernel has them all, each enabled by zswap_mutant=drawn-NN at
# boot, so that code that only runs then is mutated as well.
#
# Each mutant faces the host tests that include its file, and a guest of at most five minutes that ends at the first sign:
# the suites that compare with C, with the same SEED, and then every other suite of KUnit. What passes them faces three
# tests of what they don't reach, and the models, which take longest. A mutant that nothing catches survives:
# docs/testing.md must give a reason. What can't compile is replaced by the next
# of the draw. With check, only validates the input.
#
# Results are kept in build/drawn as long as neither the kernel nor any test changes: an interrupted run goes on. A
# complete run writes build/results/drawn.tsv.
. "$(dirname "$0")/lib.sh"
. scripts/seeded.sh

number=${DRAWN:-48} seed=${SEED:-1}
number DRAWN "$number" 1 500
number SEED "$seed" 1 999999999
[ "${1:-}" != check ] || exit 0

version=25.3.1
tools=$CACHE/cargo/tools
tree=build/drawn-tree # the project with the mutants
src=build/drawn-src   # the kernel's source with that tree
dir=build/drawn-kept
limit=90              # seconds in which a guest may print nothing
longest=300           # seconds of a guest, and of a mutant's host tests
host_limit=1800       # seconds in which they compile, and run without a mutant
quick="policy kernel" crates="$quick models"
# The twins first: they are quick, and say what differs.
files=(twins.sh abi.sh swapcache.sh kunit.sh races.sh)
# What no suite of KUnit reaches: readahead by address, a zswap that was never enabled, cgroups' files. Each in a guest of
# its own, as each wants to be the first in its boot.
more=(readahead.sh swap-64k.sh memcg.sh)
begin=$(now_ms)
stamp

# --- The draw ------------------------------------------------------------------------------

install() { scripts/enter.sh cargo install --locked --root "$tools" cargo-mutants --version $version; }
if [ "$(scripts/enter.sh "$tools/bin/cargo-mutants" mutants --version 2>/dev/null)" != "cargo-mutants $version" ]; then
	lock "$CACHE/cargo/tools.lock"
	attempt "cargo-mutants $version" install || explain "$LOG" "can't install cargo-mutants"
fi

rm -rf build/drawn-package
scripts/enter.sh python3 scripts/drawn.py package build/drawn-package
scripts/enter.sh "$tools/bin/cargo-mutants" mutants --list --json -d build/drawn-package >build/drawn-list.json ||
	die "cargo-mutants can't list the mutations of build/drawn-package"

# What doesn't compile is remembered for this list and draw.
mkdir -p "$dir"
list=$(sha256sum build/drawn-list.json | cut -c1-12)-$seed
touch "$dir/unviable-$list"

drawn() { scripts/enter.sh python3 scripts/drawn.py draw build/drawn-list.json "$seed" "$number" "$1" "$dir/unviable-$list" >build/drawn.tsv; }

# Compiles the crates of the host tests, which takes seconds, and then the kernel.
host() { # "CRATE..." COMMAND...
	local packages
	read -ra packages <<<"$1"
	scripts/enter.sh env ZSWAP_MUTANT="${mutant:-}" timeout -k 5 "$host_limit" cargo "${@:2}" --offline --manifest-path "$tree/Cargo.toml" \
		--target-dir build/drawn-host "${packages[@]/#/-p}"
}
compile() {
	host "$crates" check --tests >build/log/drawn-compiler.log 2>&1 || return
	rm -f build/log/kernel-drawn.log
	ENTER_SRC=$src VARIANT=drawn EXTRA_CONFIG=tests/mutants/races.config scripts/kernel.sh rust 2>build/log/drawn-error.log && return
	[ -e build/log/kernel-drawn.log ] || { cat build/log/drawn-error.log >&2; exit 1; }
	cp build/log/kernel-drawn.log build/log/drawn-compiler.log
	return 1
}
round=0
while true; do
	round=$((round + 1))
	step "draw $round" lay "$tree" "$src" drawn
	echo "draw $round: $(wc -l <build/drawn.tsv) drawn, $(wc -l <"$dir/unviable-$list") of them don't compile"
	! compile || break
	scripts/enter.sh python3 scripts/drawn.py blame "$tree" build/log/drawn-compiler.log >build/drawn-blamed ||
		die "no compiler error is in a mutant: see build/log/drawn-compiler.log"
	cat build/drawn-blamed >>"$dir/unviable-$list"
done
mapfile -t names < <(cut -f1 build/drawn.tsv | grep -v -x -F -f <(cat "$dir/unviable-$list"; echo none))

# --- Without a mutant all tests pass ---------------------------------------------------------

# shellcheck disable=SC2086 # several
scripts/enter.sh python3 scripts/drawn.py hosts "$tree" $crates >build/drawn-hosts
step "none, host" host "$crates" test --quiet
args="zswap.enabled=1 kunit.autorun=0 zswap_twins.seed=$seed swap_twins.seed=$seed"
start=$(now_ms)
until_sign drawn-none drawn $longest "$args" "${files[@]}"
[ -z "$seen" ] || die "the guest failed without a mutant: $seen: see build/log/drawn-none.out and .console"
for file in "${more[@]}"; do
	until_sign drawn-none drawn $longest "$(boot_of "$file")" "$file"
	[ -z "$seen" ] || die "$file failed without a mutant: $seen: see build/log/drawn-none.out and .console"
done
printf '%-10s %s (%s)\n' none "all pass" "$(took "$start")"

# --- One at a time ---------------------------------------------------------------------------

# The key of a kept result: everything that determines it, except timing.
key=$({ echo "$seed"; sha256sum <build/drawn/arch/x86/boot/bzImage; cat "${files[@]/#/tests/vm/}" "${more[@]/#/tests/vm/}" tests/vm/{lib,suite}.sh
	find "$tree/tests" -type f -print0 | sort -z | xargs -0 cat; } | sha256sum | cut -c1-16)
# host_catches "CRATE...": whether these tests fail, of the mutant. Leaves in by which one.
host_catches() {
	local log=build/log/$mutant-host.log what=host
	[ "$1" != models ] || what="host models"
	grep -q -x -F "$(awk -F'\t' -v name="$mutant" '$1 == name { print $2 }' build/drawn.tsv)" build/drawn-hosts || return 0
	! host_limit=$longest host "$1" test --quiet >"$log" 2>&1 || return 0
	# shellcheck disable=SC2016 # cargo's backtick
	by=$(sed -n 's/^---- \(.*\) stdout ----$/\1/p; s/^error: test failed, to rerun pass `-p \([a-z]*\).*/\1/p' "$log" | head -n 1)
	by="$what ${by:-$1: not done in time}"
}

guest() { until_sign "$mutant" drawn $longest "$args zswap_mutant=$mutant" "${files[@]}"; }

results=build/drawn-results
: >"$results"
survived=0 known=0
for mutant in "${names[@]}"; do
	kept=$dir/$mutant.$key
	start=$(now_ms)
	if [ -e "$kept" ]; then
		known=$((known + 1))
	else
		by=
		host_catches "$quick"
		if [ -z "$by" ]; then
			guest
			# The twins count a folio's references, which anybody may take for a moment: what they see late is
			# seen twice.
			[[ ! $seen =~ _twins\.[a-z_]+,\ operation\ [0-9]{4} ]] || guest
			by=$seen
		fi
		for file in "${more[@]}"; do
			[ -z "$by" ] || break
			until_sign "$mutant" drawn $longest "$(boot_of "$file") zswap_mutant=$mutant" "$file"
			by=$seen
		done
		[ -n "$by" ] || host_catches models
		by=${by:-survives}
		printf '%s\n' "$by ($(took "$start"))" >"$kept.new" && mv "$kept.new" "$kept"
	fi
	read -r by <"$kept"
	printf '%-10s %s\n' "$mutant" "$by"
	by=${by% (*}
	[ "$by" != survives ] || survived=$((survived + 1))
	printf '%s\t%s\n' "$mutant" "$by" >>"$results"
done

echo "all drawn mutants ... $(took "$begin"), $((${#names[@]} - known)) run, $known kept from before"
scripts/enter.sh python3 scripts/drawn.py table build/drawn.tsv "$results" "$dir/unviable-$list" "$seed"
echo "$((${#names[@]} - survived)) of ${#names[@]} caught, $survived survive, for the reasons given"
