# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 slab_nomerge kunit.enable=0
# Failing allocations, one at a time, during stores and loads.
. ./lib.sh
. ./fault-injection.sh
plan 35

fragile 1
set_param compressor lz4

store()
{
	with a fill $content "$1"
	echo "$(ask a fail out "$1"), $(ask a check)"
}

load()
{
	with a fill text "$1"
	with a out
	echo "$(ask a fail in "$1"), $(ask a check)"
}

# What the index of entries is made of, in Rust and in C.
index=radix_tree_node
[ ! -e /sys/kernel/slab/zswap_leaf ] || index=zswap_leaf

# some COUNT: 1 if it is positive
some() { [ "$1" -gt 0 ] && echo 1 || echo 0; }

for swap in brd virtio file; do
	for kib in 4 16; do
		swap_on $swap
		folios $kib
		start a 0
		with a map 4 $kib
		content=text
		mark
		point "$swap, $kib KiB: each allocation of a store fails once" "$(each_fails store "missed 4, same 4")" \
			"wrong: none, yes, missed 4, same 4"
		point "$swap, $kib KiB: and makes the store fail" \
			"$(true_that [ "$(grew reject_alloc_fail)" -gt 4 ]) $(true_that [ "$(grew reject_kmemcache_fail)" -gt 0 ])" "yes yes"
		# Pages of zeroes stay marked if the store fails.
		content=holes
		[ $kib = 4 ] || point "$swap, $kib KiB: and with pages of zeroes" "$(each_fails store "missed 4, same 4")" \
			"wrong: none, yes, missed 4, same 4"
		got='' want=''
		for cache in zswap_entry zs_handle zspage $index; do
			with a fill text 1
			mark
			only $cache
			with a fail out 0
			all_again $cache
			got="$got$cache $(some "$(grew reject_kmemcache_fail)") $(some "$(grew reject_alloc_fail)") $(debug stored_pages) $(ask a check), "
			[ $cache = zswap_entry ] && rejected="1 0" || rejected="0 1"
			want="$want$cache $rejected 0 same 4, "
		done
		point "$swap, $kib KiB: none is stored without any of its parts" "$got" "$want"
		point "$swap, $kib KiB: each allocation of a load fails once" "$(each_fails load "missed 0, same 4")" \
			"wrong: none, yes, missed 0, same 4"
		point "$swap, $kib KiB: it goes on, and nothing is charged" "$(works a), $(charged a)" "4 same 4, 0 0 0"
		stop a
		swap_off
	done
done
point "nothing is left" "$(left "lz4 4")" "$(nothing "lz4 4")"
no_leaks "nothing is leaked"
