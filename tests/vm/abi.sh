# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# What zswap promises to its callers, on a real swap device, and with every
# allocation failing in its turn. (Run at boot, the suite would be skipped then
# and for ever after: KUnit keeps that.)
. ./lib.sh
plan 19

any_may_fail

# What is counted, and in the log, from before.
dmesg -c > /run/dmesg
loads=$(debug decompress_fail) hits=$(debug pool_limit_hit)
stores=$(debug reject_alloc_fail) entries=$(debug reject_kmemcache_fail)
fails=$(debug reject_compress_fail) poor=$(debug reject_compress_poor)
swap_on virtio
suite=/sys/kernel/debug/kunit/zswap_abi
echo 1 > $suite/run
swap_off
sed -n 's/^    \(ok\|not ok\) \([0-9]*\) /\1 \2 - /p; s/^    #/#/p' $suite/results
points=13

# What the suite has done, as debugfs and the log have it: less, where there are no large folios, or
# where what watches memory allocates as well, and fails instead.
few=50 limits=3
[ ! -e /sys/kernel/debug/kmemleak ] || few=10
[ -e /sys/kernel/mm/transparent_hugepage ] || few=3 limits=1
point "failed loads are counted" "$(($(debug decompress_fail) - loads))" 9
point "and told of" "$(dmesg | grep -c 'Decompression error from zswap (0:[0-9]* zswap_faulty [0-9]*->40[0-9]*)')" 9
point "stores that had no memory are counted" "$(true_that [ $(($(debug reject_alloc_fail) - stores)) -gt $few ])" yes
point "and those without an entry" "$(true_that [ $(($(debug reject_kmemcache_fail) - entries)) -gt $few ])" yes
point "the limit's hits too" "$(($(debug pool_limit_hit) - hits))" $limits
point "and nothing else" \
	"$(($(debug reject_compress_fail) - fails)) $(($(debug reject_compress_poor) - poor))" "0 0"
