# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# What zswap promises to its callers, on a real swap device, and with every
# allocation failing in its turn. (Run at boot, the suite would be skipped then
# and for ever after.)
. ./lib.sh
plan 12

for fault in failslab fail_page_alloc; do
	echo 0 > /sys/kernel/debug/$fault/verbose
	echo N > /sys/kernel/debug/$fault/ignore-gfp-wait
done
echo 0 > /sys/kernel/debug/fail_page_alloc/min-order

swap_on virtio
suite=/sys/kernel/debug/kunit/zswap_abi
echo 1 > $suite/run
swap_off
sed -n 's/^    \(ok\|not ok\) \([0-9]*\) /\1 \2 - /p; s/^    #/#/p' $suite/results
