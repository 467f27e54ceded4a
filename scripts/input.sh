#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# input.sh TARGET... -- NAME...: refuses, before any long work, what make was given for these targets: a variable that
# doesn't exist (of NAME..., those on make's command line), one that a target would ignore, or a value that it can't use.
# Without arguments prints the table of variables, a line "TARGET NAME..." each, for scripts/check.py.
#
# make where, which scripts call often, runs this: it doesn't source lib.sh.
set -euo pipefail -f
die() {
	printf 'zswap_rs: %s\n' "$*" >&2
	exit 1
}

# What each target takes; drawn is make mutants with DRAWN, seeded make sanitize with SEEDED. All also take these:
always="V JOBS CCACHE ZSWAP_RS_CACHE"
source="KSRC DRIFT"
tools="$source HOSTTOOLS"
fixes="$tools ZERO_FIX SWAP_FIX"
kernel="$fixes IMPL VARIANT EXTRA_CONFIG"
guests="$fixes TEST_LIMIT"
declare -A takes=(
	[run]="$kernel ARCH PAGES TOOLCHAIN COMPRESSOR TEST_LIMIT"
	[shell]="$kernel ARCH PAGES TOOLCHAIN"
	[test]="$kernel ARCH TOOLCHAIN TEST_LIMIT"
	[deb]="$source TEST_LIMIT"
	[kunit]="$fixes ARCH PAGES TOOLCHAIN SUITE LIST KERNEL_ARGS TEST_LIMIT"
	[kernel]="$kernel ARCH PAGES TOOLCHAIN"
	[overlay]="$fixes TOOLCHAIN"
	[compare]="$tools CHECK"
	[patches]="$tools CHECK"
	[next]="KSRC"
	[where]="IMPL ARCH PAGES TOOLCHAIN VARIANT"
	[rust-analyzer]="$tools"
	[fetch]="KSRC HOSTTOOLS TOOLCHAIN"

	[check]="$tools"
	[kernels]="$fixes TEST_LIMIT"
	[configs]="$fixes IMPL CONFIGS"
	[races]="$kernel ARCH TOOLCHAIN TEST_LIMIT"
	[sanitize]="$fixes IMPL MINUTES SEED"
	[seeded]="$source SEEDED"
	[exports]="$source"
	[stress]="$kernel ARCH TOOLCHAIN MINUTES SEED TEST_LIMIT"
	[twins]="$fixes TOOLCHAIN MINUTES SEED TEST_LIMIT"
	[fuzz]="$source MINUTES"
	[mutants]="$source MUTANTS TWINS"
	[drawn]="$source DRAWN SEED"
	[litmus]="KSRC HOSTTOOLS"
	[zero]="$kernel RUNS TEST_LIMIT"
	[selftests]="$fixes RUNS ONLY"
	[release]="ONLY"

	[bench]="$guests RUNS"
	[measure]="$guests ONLY RUNS TURN UPTO WAY CONTENT KIB LARGE_SWAPIN PROGRAMS FOLIOS"
	[results]="HOSTTOOLS ONLY"
	[pages]="$tools"
)
declare -A default=([IMPL]=rust [ARCH]=x86_64 [PAGES]=4 [TOOLCHAIN]=trixie [COMPRESSOR]=lz4)

if [ $# = 0 ]; then
	echo "all $always"
	for goal in "${!takes[@]}"; do echo "${goal/drawn/mutants} ${takes[$goal]}"; done | sed 's/^seeded /sanitize /'
	exit
fi
all=" $always "
for name in ${takes[*]}; do
	[[ $all == *" $name "* ]] || all+="$name "
done
goals=()
while [ "$1" != -- ]; do
	goals+=("$1")
	shift
done
shift
for name; do
	[[ $all == *" $name "* ]] || die "there is no variable $name: make help lists them"
done

# --- Values -------------------------------------------------------------------------------

case ${IMPL:-rust} in
rust | c | rust-zswap | rust-cache) ;;
*) die "IMPL=$IMPL is unknown: use rust, c, rust-zswap or rust-cache" ;;
esac
case ${COMPRESSOR:-lz4} in
lz4 | lz4-rust | lzo | lzo-rle | zstd | deflate | 842) ;;
*) die "COMPRESSOR=$COMPRESSOR is unknown: use lz4, lz4-rust, lzo, lzo-rle, zstd, deflate or 842" ;;
esac
# kunit.sh has machines of its own.
case "${goals[*]} ${ARCH:-x86_64}" in
kunit\ * | *\ x86_64 | *\ arm64 | *\ riscv) ;;
*) die "ARCH=$ARCH is unknown: use x86_64, arm64 or riscv" ;;
esac
case "${PAGES:-4} ${ARCH:-}" in
4\ * | 16\ arm64 | 64\ arm64) ;;
*) die "PAGES=$PAGES is invalid: use 4, or with ARCH=arm64 also 16 or 64" ;;
esac
case ${TOOLCHAIN:-trixie} in
trixie | forky) ;;
*) die "TOOLCHAIN=$TOOLCHAIN is unknown: use trixie or forky" ;;
esac
case ${CHECK:-} in
'' | 1) ;;
*) die "CHECK=$CHECK is invalid: use 1, or leave it out" ;;
esac
# A kernel's build folder must not be one that scripts use.
case ${VARIANT:-} in
src | vm | log | results | first | overlay | host | lock | next | series | series-in | series-kunit | kunit | kunit-* | kcsan-*-src | input | fuzz | deb | modules | compressors | compare | bench | growth | parity | \
	contention | latency | metadata | scaling | scaling-* | timing | timing-* | ab | profile | plugin | judge | whole | workloads | host-release | arm64-* | riscv-* | forky-* | 16k-* | \
	64k-* | *[/.]* | *\ *)
	die "VARIANT=$VARIANT is not a kernel name: use letters, digits and dashes, and none of build/'s other folders"
	;;
esac

# --- What a target ignores, and what scripts check themselves -----------------------------

for goal in "${goals[@]}"; do
	names="$always ${takes[$goal]-}" said=$goal
	case $goal in
	where | clean | distclean | help) continue ;; # whatever it is
	sanitize) [ -z "${SEEDED:-}" ] || names="$always ${takes[seeded]}" said="sanitize SEEDED=$SEEDED" ;;
	mutants) [ -z "${DRAWN:-}" ] || names="$always ${takes[drawn]}" said="mutants DRAWN=$DRAWN" ;;
	measure) said+=${ONLY:+" ONLY=\"$ONLY\""} ;;
	esac
	[ -n "${takes[$goal]+there}" ] || die "there is no target $goal: make help lists them"
	for name in $all; do
		[ "${!name:-${default[$name]:-}}" = "${default[$name]:-}" ] || [[ " $names " == *" $name "* ]] || {
			[ "$goal $name" != "kunit IMPL" ] || die "IMPL=$IMPL is not for make kunit: use IMPL=$IMPL make test"
			die "$name=${!name} is not for make $said: leave it out"
		}
	done

	[[ "${ARCH:-} $goal" != @(riscv test|riscv races|riscv stress) ]] || die "ARCH=riscv is not for make $goal: leave it out"
	case $goal in
	run)
		awk -F'\t' 'NR == 1 { split($0, of, ", ") } /^make run\tempty/ { print "make run: from nothing it took " $3 " minutes on " of[3] ", " of[4] }' \
			results/first.tsv 2>/dev/null || :
		;;
	kunit) scripts/kunit.sh check ;;
	sanitize) scripts/kernels.sh sanitize check ;;
	stress | twins | fuzz) scripts/random.sh "$goal" check ;;
	configs)
		for name in ${CONFIGS:-}; do
			[ -f "scripts/configs/$name.config" ] || die "there is no configuration $name: see scripts/configs"
		done
		;;
	mutants)
		[ -z "${DRAWN:-}" ] || scripts/drawn.sh check
		for name in ${MUTANTS:-}; do
			grep -r -q -x -F "mutant: $name" tests/mutants || die "there is no mutant $name: grep ^mutant: tests/mutants/*.patch lists them"
		done
		;;
	bench) scripts/measure.sh bench check ;;
	measure) scripts/measure.sh ${ONLY:-} check ;;
	release) scripts/release.sh check ;;
	esac
done
