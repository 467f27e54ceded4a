#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kunit.sh [check]: runs every KUnit suite with the kernel's own kunit.py: on UML, which needs no
# guest, and on x86-64 in QEMU. Keeps the results as JSON and JUnit in build/kunit. ARCH selects one
# of the two, riscv, or arm64, with pages of PAGES KiB; SUITE one suite, several by a pattern, or a case as
# SUITE.CASE. LIST=1 prints the cases and runs none. KERNEL_ARGS has more arguments for the kernel, such as a suite's
# parameters. With check, only validates the input.
suite=${SUITE:-} # lib.sh sets its own
. "$(dirname "$0")/lib.sh"

read -ra archs <<<"${ARCH:-um x86_64}"
for arch in "${archs[@]}"; do
	[ "${PAGES:-4}" = 4 ] || [ "$arch" = arm64 ] || die "PAGES=$PAGES is not supported on $arch, which has pages of 4 KiB"
	case $arch in um | x86_64 | arm64 | riscv) ;; *) die "ARCH=$arch is unknown to make kunit: use um, x86_64, arm64 or riscv" ;; esac
done
# All suites in the sources, in Rust and in C, and those of the kernel crate that get cases here; but those that only
# measurements run.
mapfile -t all < <({
	sed -n 's/^+#\[.*kunit_tests(\([a-z0-9_]*\)).*/\1/p' patches/*.patch
	grep -r -h -o 'kunit_tests([a-z0-9_]*)' rust samples | sed 's/.*(//; s/)//'
	sed -n '/^static struct kunit_suite /,/^}/s/.*\.name = "\(.*\)".*/\1/p' tests/kunit/*.c
} | grep -v -x -E 'zswap_(time|scale)' | sort)
wanted=()
for name in "${all[@]}"; do
	# shellcheck disable=SC2053 # a pattern
	[[ -n $suite && $name != ${suite%%.*} ]] || wanted+=("$name")
done
[ ${#wanted[@]} != 0 ] || die "SUITE=$suite is unknown: use ${all[*]}"
limit=${TEST_LIMIT:-300} # seconds in which a machine may print nothing
number TEST_LIMIT "$limit" 1 99999
[ "${1:-}" != check ] || exit 0

configs=build/src/samples/rust/zswap_rs/kunit
out=build/kunit
mkdir -p "$out"

# The options for kunit.py: the suites block one CPU and continue on another.
options() {
	kunitconfig=(--kunitconfig="$TOP/$configs")
	case $1 in
	um)
		run=(--kernel_args=seccomp=on --kernel_args=ncpus=2)
		target=linux root=$ROOT
		;;
	*)
		kunitconfig+=(--kunitconfig="$TOP/$configs/$1.kunitconfig" --arch="$1")
		[ "${PAGES:-4}" = 4 ] || kunitconfig+=(--kconfig_add=CONFIG_ARM64_4K_PAGES=n --kconfig_add=CONFIG_ARM64_"$PAGES"K_PAGES=y)
		run=(--qemu_args='-smp 2')
		# A case maps and swaps out large folios, by MADV_HUGEPAGE.
		[ "${PAGES:-4}" != 4 ] || run+=(--kernel_args=thp_anon=64K:madvise --kernel_args=thp_shmem=64K:advise)
		target=bzImage root=$ROOT
		case $1 in
		arm64) target=Image.gz root=$ARM64_ROOT ;;
		riscv) target=Image root=$RISCV_ROOT ;;
		esac
		;;
	esac
	local arg
	for arg in ${KERNEL_ARGS:-}; do
		run+=(--kernel_args="$arg")
	done
}

kvm=no # if no guest boots under it
[[ " ${archs[*]} " != *" x86_64 "* ]] || [ "$(env -u MAKEFLAGS -u MFLAGS ARCH= PAGES= scripts/accel.sh)" != kvm ] || kvm=yes

status=0 names=() lists=()
for arch in "${archs[@]}"; do
	options "$arch"
	name=$arch
	[ "${PAGES:-4}" = 4 ] || name+=-${PAGES}k
	[ "$SUITE" = "$STABLE" ] || name=$SUITE-$name
	dir=$TOP/build/kunit-$name
	[ -n "${HOSTTOOLS:-}" ] || case $arch in arm64 | riscv) scripts/toolchain.sh "$arch" ;; esac
	mkdir -p "$dir"
	names+=("$name")
	lock "build/log/kunit-$name.lock"
	[ -n "${LIST:-}" ] || rm -f "$out/$name".{json,xml,log}
	rm -f "$dir/test.log"
	# Without OpenSBI, which only the machine needs, kunit.py ends as if it had configured.
	[ "$arch" != riscv ] || [ -n "${HOSTTOOLS:-}" ] || touch "$ROOT/usr/share/qemu/opensbi-riscv64-generic-fw_dynamic.bin"
	make=("CC=ccache clang" "${KBUILD[@]}")
	step "config kunit-$name" kunit "$ROOT" $kvm config "${kunitconfig[@]}" --build_dir="$dir" "${make[@]/#/--make_options=}"
	[ -f "$dir/vmlinux" ] || STEP_LINES=1800
	step "kernel kunit-$name" scripts/enter.sh make -C build/src O="$dir" ARCH="$arch" -j"$JOBS" "${make[@]}" "$target"
	STEP_LINES=
	if [ -n "${LIST:-}" ]; then
		step "list $name" kunit "$root" $kvm exec "${kunitconfig[@]}" --build_dir="$dir" --timeout=1000000 "${run[@]}" --list_tests ${suite:+"$suite"}
		lists+=("$out/$name.list")
		grep -a -x '[a-z0-9_]*\.[A-Za-z0-9_]*' "$LOG" >"$out/$name.list" || die "$name lists no cases: see $TOP/$LOG"
		continue
	fi
	attempt "kunit $name" kunit "$root" $kvm exec "${kunitconfig[@]}" --build_dir="$dir" --timeout=1000000 "${run[@]}" \
		--json="$TOP/$out/$name.json" --junit="$TOP/$out/$name.xml" ${suite:+"$suite"} || status=1
	# The kernel's log, which kunit.py leaves in its build folder.
	[ ! -f "$dir/test.log" ] || cp "$dir/test.log" "$out/$name.log"
done

[ -z "${LIST:-}" ] || { sort -u "${lists[@]}" && exit; }
scripts/enter.sh python3 scripts/verdicts.py kunit "${wanted[*]}" "${names[@]/#/$out/}"
[ $status = 0 ] || die "KUnit failed: see $TOP/build/log/kunit-*.log"
