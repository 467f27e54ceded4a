# SPDX-License-Identifier: GPL-2.0
# boot: numa=fake=2
# only: numa
# Entries of large folios lie on the node of their pages, although the slab cache has room on the other
# node only. kmem_cache_alloc_bulk() takes no node.
. ./lib.sh
plan 7

set_param shrinker_enabled Y
set_param max_pool_percent 50
swap_on virtio

# on_lists CGROUP: its entries on the list of each node. They are incompressible, so that the shrinker
# doesn't scale their number.
on_lists()
{
	awk -v ino="$(stat -c %i /cg/"$1")" '$1 == ino { print $2, $3; found = 1 }
		END { if (!found) print 0, 0 }' /sys/kernel/debug/shrinker/mm-zswap-*/count
}
free_mib() { awk '$3 == "MemFree:" { print int($4 / 1024) }' /sys/devices/system/node/node"$1"/meminfo; }

# The slabs of node 1 have room: of a hundred entries two stay.
point "the CPUs are on node 0" "$(cat /sys/devices/system/node/node0/cpulist)" 0-1
start f 0
with f node 1
with f map 8192 4
with f fill random 1
with f out
point "entries of node 1 are on its list" "$(debug stored_pages), $(soon "0 8192" on_lists f)" "8192, 0 8192"
with f keep 50
point "most of them are freed" "$(debug stored_pages), $(soon "0 164" on_lists f)" "164, 0 164"

# Their folios are of node 0, which the tasks run on.
for kib in 64 2048; do
	folios $kib
	start a$kib 0
	with a$kib node 0
	with a$kib map 2048 $kib
	with a$kib fill random $kib
	with a$kib out
	point "$kib KiB, with memory free on node 0: all entries are on its list" \
		"$(true_that [ "$(free_mib 0)" -gt 16 ]), $(soon "2048 0" on_lists a$kib)" "yes, 2048 0"
	folios 4
done
point "all reads back" "$(ask a64 check), $(ask a2048 check)" "same 2048, same 2048"
stop a64
stop a2048
stop f
swap_off
point "nothing is left" "$(debug stored_pages)" 0
