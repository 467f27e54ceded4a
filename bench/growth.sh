# SPDX-License-Identifier: GPL-2.0
# In the guest: the rows of the measurement growth, by swapbench. The first word of each is
#
#   order-KIB        folios of KIB, with nothing else in zswap
#   cgroups-N        folios of 4 KiB, while N other cgroups have 16 pages each in zswap
#   stored-N         folios of 4 KiB, while N other pages are in zswap
#
# usage: sh growth.sh PAGES: up to so many other pages
. ./lib.sh
. ./counted.sh

# others PAGES [CGROUPS]: a process that keeps so many in zswap
others()
{
	hold "$@" > /run/others &
	while [ ! -s /run/others ]; do usleep 100000; done
	[ "$(cat /run/others)" = held ] || { cat /run/others; exit 1; }
	rm /run/others
	held=$((held + $1 * ${2:-1}))
	[ "$(debug stored_pages)" = $held ] || { echo "growth: zswap has $(debug stored_pages) pages, not $held"; exit 1; }
}

# bench WHAT KIB
bench() { swapbench "$1" "$2" same 3 || exit 1; }

prove_unit growth
# As in rows.sh.
echo 8 > /proc/sys/vm/percpu_pagelist_high_fraction
swap_on brd
mkdir /cg/bench /cg/others
echo $$ > /cg/bench/cgroup.procs
set_param compressor lz4
set_param max_pool_percent 90
set_param enabled Y
held=0
folios 4
swapbench warm 4 random 10 > /run/warm || { cat /run/warm; exit 1; }

for kib in 4 16 32 64 128 256 512 1024 2048; do
	folios $kib
	bench order-$kib $kib
done
folios 4
bench stored-0 4
bench cgroups-0 4
n=0
for cgroups in 1 10 100 1000; do
	others 16 $((cgroups - n))
	n=$cgroups
	bench cgroups-$n 4
done
echo $$ > /cg/others/cgroup.procs
for pages in 65536 262144 1048576 4194304; do
	[ $pages -le "$1" ] || break
	folios 2048 # it is there sooner
	others $((pages - held))
	folios 4
	echo $$ > /cg/bench/cgroup.procs
	bench stored-$pages 4
	echo $$ > /cg/others/cgroup.procs
done
