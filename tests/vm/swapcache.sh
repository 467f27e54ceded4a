# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# What the swap cache promises to its callers, on a real swap device, with allocations failing in
# their turn, and with several threads at one slot.
. ./lib.sh
plan 14

any_may_fail

mkdir /cg/charge /cg/fresh
swap_on virtio
suite=/sys/kernel/debug/kunit/swap_cache
echo 1 > $suite/run
swap_off
rmdir /cg/charge /cg/fresh
# What is skipped is missing.
sed -n 's/^    ok \([0-9]* .* # SKIP\)/    not ok \1/; s/^    \(ok\|not ok\) \([0-9]*\) /\1 \2 - /p; s/^    #/#/p' $suite/results
points=13

[ ! -e /proc/sys/vm/stat_refresh ] || echo 1 > /proc/sys/vm/stat_refresh # each CPU counts by itself first

stored=0
[ ! -e $DEBUG ] || stored=$(debug stored_pages)
point "nothing is left" "$stored $(awk '$1 == "SwapCached:" { print $2 }' /proc/meminfo)" "0 0"
