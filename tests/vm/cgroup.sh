# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# Writeback and the cgroup hierarchy: limits of ancestors, removed cgroups.
. ./lib.sh
. ./writeback-paths.sh
plan 10

swap_on virtio
counted() { echo $(($(vmstat zswpwb) - event)); }

# A store at the limit makes room by writeback, and the limit holds.
start a 0
echo 1M > /cg/a/memory.zswap.max
event=$(vmstat zswpwb)
with a map 1024 4
with a fill random 1
with a out
with a fill random 2
with a out
point "zswap.max 1M: held by writing back" \
	"$(true_that [ "$(memcg_stat a zswap)" -le $((1100 << 10)) ]) $(true_that [ "$(debug stored_pages)" -gt 100 ]) $(true_that [ "$(counted)" -gt 100 ])" \
	"yes yes yes"
drop a
point "and all reads back" "$(ask a check)" "same 1024"
stop a

# Worker a in /cg/p/c, with stored pages; leave_child removes c while they are stored.
in_child()
{
	mkdir /cg/p
	echo +memory > /cg/p/cgroup.subtree_control
	mkdir /cg/p/c
	start a 0
	cat /cg/a/cgroup.procs > /cg/p/c/cgroup.procs
	with a map 512 4
	with a fill last 1
	with a out
}
leave_child()
{
	cat /cg/p/c/cgroup.procs > /cg/a/cgroup.procs
	rmdir /cg/p/c
	echo -memory > /cg/p/cgroup.subtree_control
}

in_child
point "stored pages count for the parent" \
	"$(soon $((512 * 4096)) memcg_stat p zswapped) $(true_that [ "$(memcg p zswap.current)" -ge "$(memcg p/c zswap.current)" ])" \
	"$((512 * 4096)) yes"
with a in
echo 0 > /cg/p/memory.zswap.max
with a out
point "the parent's zswap.max 0 refuses the child" "$(debug stored_pages) $(ask a check)" "0 same 512"
echo max > /cg/p/memory.zswap.max
with a fill last 2
with a out
leave_child
point "a removed cgroup's pages are its parent's" \
	"$(debug stored_pages) $(soon $((512 * 4096)) memcg_stat p zswapped) $(soon $((32 * 4096)) memcg_stat p zswap_incomp)" \
	"512 $((512 * 4096)) $((32 * 4096))"
event=$(vmstat zswpwb)
start_pusher p
by_cgroup p
point "which writes them back" \
	"$(debug stored_pages) $(true_that [ "$(counted)" -ge 512 ]) $(soon "$(counted)" memcg_stat p zswpwb) $(soon 0 memcg p zswap.current) $(soon 0 memcg_stat p zswap_incomp)" \
	"0 yes $(counted) 0 0"
drop p
point "and they read back" "$(ask a check)" "same 512"
stop b
stop a
rmdir /cg/p

# Cgroups are created and removed while the limit's worker iterates over them.
in_child
leave_child
rmdir /cg/p
for round in $(seq 10); do
	mkdir /cg/x"$round"
done
event=$(vmstat zswpwb)
start_pusher a
for round in $(seq 10); do
	rmdir /cg/x"$round"
done &
by_limit
wait $!
point "pages of cgroups that are gone are the root's, and written back" \
	"$(debug stored_pages) $(true_that [ "$(counted)" -ge 512 ])" "0 yes"
point "and read back" "$(ask a check)" "same 512"
stop b
stop a
swap_off
point "nothing is left" "$(debug stored_pages) $(debug stored_incompressible_pages) $(debug pool_total_size)" "0 0 0"
