#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests.sh [IMPL...]: the kernel's own tests of zswap and memory cgroups, from its source, on
# both implementations, RUNS times each (10). Ends with a table of how often each test has passed;
# fails if there is one that C has always passed and Rust hasn't.
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || set -- c rust
runs=${RUNS:-10}
programs=(test_zswap test_memcontrol)
image=build/vm/selftests.tar

# shellcheck disable=SC2016 # expanded in the root
build='
	from=build/src/tools/testing/selftests
	image=$1
	shift
	mkdir -p build/vm/selftests
	for program; do
		# Not optimised, as in their Makefile: memory that is only written to would not be.
		gcc -static -pthread -D_GNU_SOURCE= -include linux/sysinfo.h -I$from -I$from/cgroup/lib/include \
			-o "build/vm/selftests/$program" "$from/cgroup/$program.c" $from/cgroup/lib/cgroup_util.c
	done
	tar -c -f "$image" -C build/vm/selftests "$@"'
mkdir -p build/vm
step "selftests" scripts/enter.sh bash -euc "$build" build "$image" "${programs[@]}"

for impl; do
	start=$(now_ms)
	echo "selftests $impl ..."
	# An allocation that has to wait long is reported with a trace, and is no fault of anybody's here.
	IMPL=$impl scripts/vm.sh -n "selftests-$impl" -m 2G -t $((runs * 300)) -d "$TOP/$image" \
		sh selftests.sh "$runs" "${programs[@]}" >"build/log/selftests-$impl.tap" ||
		{ grep -q '^guest exit 0' "build/log/selftests-$impl.out" &&
			! grep -a -q -E 'Oops|BUG: |WARNING: ' "build/log/selftests-$impl.console"; } ||
		die "the guest of $impl failed: see build/log/selftests-$impl.out"
	echo "selftests $impl ... ok $(took "$start")"
done

files=("${@/#/build/log/selftests-}")
files=("${files[@]/%/.tap}")
awk -v runs="$runs" '
	FNR == 1 { impl = FILENAME; sub(/.*selftests-/, "", impl); sub(/\.tap/, "", impl); impls[++n] = impl }
	{ sub(/\r$/, "") }
	$2 == "ok" || ($2 == "not" && $3 == "ok") {
		name = $1 " " $NF
		if (!(name in known)) { known[name] = 1; order[++m] = name }
		if (/# SKIP/) skipped[impl, name]++
		else if ($2 == "ok") passed[impl, name]++
	}
	END {
		printf "%-16s %-40s", "program", "test"
		for (i = 1; i <= n; i++) printf " %10s", impls[i]
		print ""
		for (t = 1; t <= m; t++) {
			name = order[t]
			split(name, part, " ")
			printf "%-16s %-40s", part[1], part[2]
			for (i = 1; i <= n; i++)
				printf " %10s", skipped[impls[i], name] == runs ? "skipped" : passed[impls[i], name] + 0 "/" runs
			print ""
			if (passed["c", name] == runs && passed["rust", name] < runs && n == 2) bad = 1
		}
		exit bad || !m
	}' "${files[@]}"
