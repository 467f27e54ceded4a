# SPDX-License-Identifier: GPL-2.0
# In the guest: the rows of the measurement ab, which tests/kunit/time.c prints.
#
# usage: sh ab.sh
. ./lib.sh
. ./counted.sh

prove_unit ab
dmesg -c > /dev/null
echo > /sys/kernel/debug/kunit/zswap_time/run
grep -q '^ok ' /sys/kernel/debug/kunit/zswap_time/results || { echo "ab: the suite failed"; exit 1; }
dmesg | sed -n 's/.*zswap_time:\t//p'
