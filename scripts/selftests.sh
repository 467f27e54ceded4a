#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests.sh [IMPL...]: the kernel's selftests of zswap, memory cgroups and other users of swap,
# from its source, on both implementations, RUNS times each (10); close results are repeated once,
# twice as often. Ends with tables of the passes of each, in build/results/selftests.tsv; fails if Rust passes a test significantly
# less often than C, as decided by scripts/verdicts.py. ONLY=text runs the programs whose command
# has this text, and writes nothing. docs/testing.md lists the tests and the reasons.
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || set -- c rust
runs=${RUNS:-10}
number RUNS "$runs" 2 999
image=build/vm/selftests.tar

# LIMIT COMMAND: the command in the guest, and its cgroup's memory limit ("max": none; "-": in the
# root cgroup). A limit below a test's usage makes all of it go through swap; with `high`, the test
# isn't killed for memory that is briefly in use.
list=$(grep -F -e "${ONLY:-}" <<-'END'
	- test_zswap
	- test_memcontrol
	max cow
	max khugepaged
	max guard-regions
	max droppable
	max uffd-unit-tests -f wp-fork
	max uffd-unit-tests -f rwp-swap-cow
	max uffd-wp-mremap
	high=7M uffd-stress anon 4 2
	high=7M uffd-stress shmem 4 2
	max=4M transhuge-stress -d 3 64
	max thp_swap_allocator
END
) || die "ONLY=$ONLY matches no test: see the list in scripts/selftests.sh"

# Built with the options of their own makefiles: the cgroup tests not optimised (they write to
# memory that is never read), those of mm with -O2. patches/selftests/ fixes their flaky tests.
# shellcheck disable=SC2016 # expanded in the root
build='
	list=$1 out=build/vm/selftests
	from=build/src/tools/testing/selftests
	patched=$out.patched/tools/testing/selftests
	mm=$patched/mm
	rm -rf $out $out.patched
	mkdir -p $out.include $out $mm $patched/cgroup
	cp $from/mm/*.c $mm
	cp $from/cgroup/*.c $patched/cgroup
	for patch in patches/selftests/*.patch; do
		patch -p1 -s -f -F0 -d $out.patched <"$patch" || {
			echo "$patch does not apply to build/src: write it anew, or remove it if the kernel has it now"
			exit 1
		}
	done
	echo "$list" >$out/list
	make -s -C build/src LLVM=1 O="$PWD/build/workloads-c" headers
	: >$out.include/local_config.h_gen # no liburing
	for program in $(cut -d" " -f2 <<<"$list" | sort -u); do
		case $program in
		test_*)
			gcc -static -pthread -D_GNU_SOURCE= -include linux/sysinfo.h -I$from -I$from/cgroup/lib/include \
				-o "$out/$program" "$patched/cgroup/$program.c" $from/cgroup/lib/cgroup_util.c
			continue ;;
		thp_swap_allocator)
			# A quarter of its rounds; all of them if the loop ever changes.
			sed "s/i < 100; ++i/i < 25; ++i/" build/src/tools/mm/thp_swap_allocator_test.c |
				gcc -static -o "$out/${program}_test" -x c -
			continue ;;
		uffd-*) more=$mm/uffd-common.c ;;
		*) more= ;;
		esac
		gcc -static -pthread -O2 -U_FORTIFY_SOURCE -D_GNU_SOURCE= -isystem build/workloads-c/usr/include \
			-Ibuild/src/tools/include/uapi -I$out.include -I$from -I$from/mm -Ibuild/src \
			-o "$out/$program" "$mm/$program.c" $more $mm/vm_util.c $mm/hugepage_settings.c -lm
	done
	tar -c -f build/vm/selftests.tar -C $out .'
mkdir -p build/vm
for impl; do
	VARIANT=workloads-$impl LIKE=workloads-c EXTRA_CONFIG=scripts/workloads.config scripts/kernel.sh "$impl"
done
step "selftests" scripts/enter.sh bash -euc "$build" build "$list"

# guests RUNS SUFFIX [PROGRAM,...]: boots a guest of each implementation that runs these programs,
# or all, RUNS times
outs=()
guests() {
	local impl name
	for impl in "${impls[@]}"; do
		name=selftests-$impl$2
		outs+=("build/log/$name.out=$1${3:+:$3}")
		IMPL=$impl VARIANT=workloads-$impl attempt "selftests $impl$2" scripts/vm.sh -n "$name" -m 2G -t 900 \
			-d "$TOP/$image" sh selftests.sh "$1" ${3:+"$3"} ||
			die "the guest of $impl failed: $(tail -n 1 "build/log/${name}.log") (build/log/$name.out)"
	done
}
echo "$list" >build/selftests.list
judge() { scripts/enter.sh python3 scripts/verdicts.py selftests build/selftests.txt build/selftests.close build/selftests.list "${outs[@]}"; }

stamp
impls=("$@")
guests "$runs" ''
rm -f build/selftests.close
judge >build/selftests.said || : # repeated below
close=$(cat build/selftests.close)
# The repetition is fixed beforehand, and done only once: otherwise chance would eventually find
# something.
[ -z "$close" ] || {
	echo "close: programs $close of the list run $((2 * runs)) times more"
	guests $((2 * runs)) -again "$close"
}
lost=
judge >build/selftests.said || lost=yes
dry=
[ -z "${ONLY:-}" ] && [ $# = 2 ] || dry=-n
scripts/enter.sh python3 scripts/results.py put selftests $dry <build/selftests.said
[ -z "$lost" ]
