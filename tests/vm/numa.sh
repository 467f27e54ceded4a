# SPDX-License-Identifier: GPL-2.0
# boot: numa=fake=2
# only: numa
# Two memory nodes: an entry goes to the list of its page's node.
. ./lib.sh
plan 6

point "zswap is enabled by default" "$(cat $PARAM/enabled)" Y
set_param shrinker_enabled Y
set_param max_pool_percent 50
swap_on virtio

# on_lists CGROUP: whether the shrinker counts entries for it on each node; empty if it counts none
# at all
on_lists()
{
	awk -v ino="$(stat -c %i /cg/"$1")" '$1 == ino { print ($2 > 0), ($3 > 0); found = 1 }
		END { if (!found) print 0, 0 }' /sys/kernel/debug/shrinker/mm-zswap-*/count
}

for node in 0 1; do
	start a 0
	with a node $node
	with a map 2048 4
	with a fill text $node
	point "node $node: its pages are there" \
		"$(awk -v name="anon" -v key="N$node=" '$1 == name { for (i = 2; i <= NF; i++) if (index($i, key) == 1) print (substr($i, length(key) + 1) >= 2048 * 4096) }' /cg/a/memory.numa_stat)" 1
	with a out
	[ $node = 0 ] && want="1 0" || want="0 1"
	point "node $node: its entries are on its list alone, and read back" \
		"$(soon "$want" on_lists a), $(ask a check)" "$want, same 2048"
	stop a
done
swap_off
point "nothing is left" "$(debug stored_pages)" 0
