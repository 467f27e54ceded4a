# SPDX-License-Identifier: GPL-2.0
# In the guest: the windows of the measurement contention, by contention.c, on CPUs 0 to 7.
# usage: sh contention.sh ROUNDS
. ./lib.sh

rounds=$1

contention prove || exit 1

# 8 MiB, of the demonstration's disk.
first=$(head -c 4096 /dev/vdc | tr -d '\000' | sed -n 's/^vmlinux \([0-9]*\) .*/\1/p')
dd if=/dev/vdc of=/run/kernel bs=4096 skip="$first" count=2048 2> /run/dd || { cat /run/dd; exit 1; }

# So many pages of its own that a CPU hardly ever has to fetch some.
echo 8 > /proc/sys/vm/percpu_pagelist_high_fraction
swap_on brd 131072
set_param compressor lz4
set_param enabled Y
for name in one0 own0 own1 own2 own3 own4 own5 own6 own7; do
	mkdir /cg/$name
done

for kib in 4 64; do
	folios $kib
	for content in same random kernel; do
		for cgroups in own one; do
			contention 8 $kib $content $cgroups "$rounds" || exit 1
			[ "$(debug stored_pages)" = 0 ] || { echo "contention: $(debug stored_pages) pages are left in zswap"; exit 1; }
		done
	done
done
