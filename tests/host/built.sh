#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Checks the contents of the kernel built with IMPL=rust. Prints TAP.
. "$(dirname "$0")/../../scripts/lib.sh"

build=$(make -s where IMPL=rust | sed -n 's/^build=//p')
n=0 status=0
point() { # point NAME CMD...
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else status=1 && echo "not ok $n - $name"; fi
}
linked() { grep -q -x ".*/$1" "$work/objects"; } # ar gives paths from here
defines() { grep -q " [TDB] $2\$" <(scripts/enter.sh nm "$build/$1"); }

work=$(mktemp -d)
scratch=$work
scripts/enter.sh ar t "$build/vmlinux.a" >"$work/objects"

echo 1..11
point "mm/zswap.o, C's zswap, is not in the kernel" eval '! linked mm/zswap.o'
point "the Rust object is" linked samples/rust/zswap_rs/zswap_rs.o
point "zswap_store comes from it" defines samples/rust/zswap_rs/zswap_rs.o zswap_store
point "zswap_load too" defines samples/rust/zswap_rs/zswap_rs.o zswap_load
point "the swap cache comes from Rust" defines samples/rust/swap_cache_rs/swap_cache_rs.o swap_cache_alloc_folio
point "and not from mm/swap_state.o" eval '! defines mm/swap_state.o swap_cache_alloc_folio'
# For each counter that all CPUs write, what is in its cache line of 64 bytes.
lines() {
	scripts/enter.sh nm -n "$build/vmlinux" | awk '{ line = substr($1, 1, 14) int((index("0123456789abcdef", substr($1, 15, 1)) - 1) / 4) }
		{ names[line] = names[line] " " $3 } $2 == "D" && $3 ~ /^zswap_stored_(incompressible_)?pages$/ { counters[line] }
		END { for (line in counters) print substr(names[line], 2) }' | sort
}
point "the counters of stored pages have a cache line each" eval '[ "$(lines)" = "zswap_stored_incompressible_pages
zswap_stored_pages" ]'
if scripts/enter.sh rustc --version | grep -q '^rustc 1\.85\.'; then
	point "panics reached are those of docs/panics.tsv" eval 'scripts/enter.sh python3 scripts/check.py panics "$build" >"$work/panics" || { sed "s/^/# /" "$work/panics"; false; }'
else
	n=$((n + 1))
	echo "ok $n - panics reached are those of docs/panics.tsv # SKIP that has those of rustc 1.85"
fi
# Compiles a few files again.
point "each function of the patches is in the kernel" eval 'scripts/enter.sh python3 scripts/vanished.py "$build" patches/0*.patch >"$work/patched" || { sed "s/^/# /" "$work/patched"; false; }'
# No source has this function.
finds_vanished() {
	printf '%s\n' '--- a/mm/shmem.c' '+++ b/mm/shmem.c' '@@ -1,1 +1,4 @@' ' /*' '+static int shmem_vanished(void)' '+{' '+	return 0;' '+}' \
		>build/vanished.patch
	! scripts/enter.sh python3 scripts/vanished.py "$build" build/vanished.patch >"$work/vanished" || return
	rm build/vanished.patch
	grep -q '^mm/shmem.c: shmem_vanished() of the patches is not in the kernel' "$work/vanished"
}
point "a function of a patch that is not compiled is found" finds_vanished
stands_still() {
	local status=0
	STILL_LIMIT=2 scripts/vm.sh -p -n still true >"$work/still" 2>&1 || status=$?
	[ $status = 1 ] && [ "$(grep -c 'booted again$' "$work/still")" = 1 ] && grep -q 'stood still .*, twice' "$work/still"
}
point "a guest that hangs in its boot is rebooted once, then given up" stands_still
exit $status
