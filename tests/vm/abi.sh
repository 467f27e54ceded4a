# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# zswap's interface to its callers, on a real swap device, and with each allocation failing in turn.
. ./lib.sh
plan 22
[ -e $THP ] || plan 18 # four cases need large folios

# The counters and the log from before.
dmesg -c > /run/dmesg
loads=$(debug decompress_fail) hits=$(debug pool_limit_hit)
stores=$(debug reject_alloc_fail) entries=$(debug reject_kmemcache_fail)
fails=$(debug reject_compress_fail) poor=$(debug reject_compress_poor)
swap_on virtio
suite zswap_abi
swap_off

# The suite's effects in debugfs and the log: fewer without large folios, or where sanitizers also
# allocate, and their allocations fail instead.
few=50 limits=4
[ ! -e /sys/kernel/debug/kmemleak ] || few=10
[ -e /sys/kernel/mm/transparent_hugepage ] || few=3 limits=2
point "failed loads are counted" "$(($(debug decompress_fail) - loads))" 9
point "and logged" "$(dmesg | grep -c 'Decompression error from zswap (0:[0-9]* zswap_faulty [0-9]*->40[0-9]*)')" 9
point "stores that had no memory are counted" "$(true_that [ $(($(debug reject_alloc_fail) - stores)) -gt $few ])" yes
# Entries are allocated up to 16 at a time: one failure for as many pages.
point "and those without an entry" "$(true_that [ $(($(debug reject_kmemcache_fail) - entries)) -gt $((few / 16)) ])" yes
point "the limit's hits too" "$(($(debug pool_limit_hit) - hits))" $limits
point "and nothing else" \
	"$(($(debug reject_compress_fail) - fails)) $(($(debug reject_compress_poor) - poor))" "0 0"
