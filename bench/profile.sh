# SPDX-License-Identifier: GPL-2.0
# In the guest: one row of the measurement profile, which a plugin of QEMU's watches: swapbench, whose
# windows of WAY are marked.
#
# usage: sh profile.sh KIB CONTENT ROUNDS WAY
. ./lib.sh
. ./counted.sh

prove_unit profile
# As for make bench.
echo 8 > /proc/sys/vm/percpu_pagelist_high_fraction
swap_on brd 16384
mkdir /cg/bench
echo $$ > /cg/bench/cgroup.procs
set_param compressor lz4
set_param enabled Y
folios "$1"
swapbench zswap "$1" "$2" "$3" "$4"
