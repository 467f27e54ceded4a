# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# The swap cache's interface to its callers, on a real swap device, with each allocation failing in
# turn, and with several threads on one slot.
. ./lib.sh
plan 15
[ -e $PARAM/large_swapin ] || plan 14 # one case needs large folios from zswap

swap_on virtio
suite swap_cache
swap_off

[ ! -e /proc/sys/vm/stat_refresh ] || echo 1 > /proc/sys/vm/stat_refresh # folds per-CPU counts

stored=0
[ ! -e $DEBUG ] || stored=$(debug stored_pages)
point "nothing is left" "$stored $(awk '$1 == "SwapCached:" { print $2 }' /proc/meminfo)" "0 0"
