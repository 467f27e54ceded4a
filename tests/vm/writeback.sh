# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# Writeback: zswap's pages are on the disk afterwards, and every counter agrees.
. ./lib.sh
. ./fault-injection.sh
. ./writeback-paths.sh
plan 36

# write_back SWAP KIB WAY
write_back()
{
	swap_on "$1"
	folios "$2"
	start a 0
	with a map 512 "$2"
	with a fill last 1
	with a out
	stored=$(debug stored_pages)
	folios 4
	start_pusher a
	count=$(debug written_back_pages) event=$(vmstat zswpwb) to_disk=$(vmstat pswpout)
	"by_$3"
	count=$(($(debug written_back_pages) - count)) event=$(($(vmstat zswpwb) - event))
	to_disk=$(($(vmstat pswpout) - to_disk))
	point "$1, $2 KiB, by $3: emptied and counted" \
		"$stored, $(true_that [ "$(debug stored_pages)" -le 16 ]), $(true_that [ $count -ge 496 ]), $event, $(soon $count memcg_stat a zswpwb), $(true_that [ $to_disk -ge $count ])" \
		"512, yes, yes, $count, $count, yes"
	drop a
	from_disk=$(vmstat pswpin)
	same=$(ask a check)
	from_disk=$(($(vmstat pswpin) - from_disk))
	stop b
	swap_off
	point "$1, $2 KiB, by $3: read back from the disk, nothing left charged" \
		"$same, $(true_that [ $from_disk -ge 400 ]), $(soon 0 memcg a zswap.current) $(soon 0 memcg_stat a zswapped) $(soon 0 memcg_stat a zswap_incomp)" \
		"same 512, yes, 0 0 0"
	stop a
}

for path in cgroup limit shrinker; do
	write_back virtio 4 $path
	write_back virtio 64 $path
	write_back file 4 $path
	write_back brd 64 $path
done

# --- Entries that are not written back --------------------------------------
set_counters()
{
	written=$(debug written_back_pages) failed_to=$(debug reject_reclaim_fail)
}
written() { echo $(($(debug written_back_pages) - written)); }

# One store at a cgroup's limit is one pass over 32 entries.
swap_on virtio
start a 0
with a map 32 4
with a fill text 1
with a out
start b 0
cat /cg/b/cgroup.procs > /cg/a/cgroup.procs
with b map 1 4
echo 0 > /cg/a/memory.zswap.max
set_counters
with b fill text 1
with b out
first=$(written)
with b fill text 2
with b out
point "an entry just stored has a second chance" "$first, $(true_that [ "$(written)" -gt 0 ])" "0, yes"
point "and reads back" "$(ask a check), $(ask b check)" "same 32, same 1"
stop b
stop a

# Pages that are in memory and also have an entry are warm.
start a 0
with a map 256 4
with a fill text 1
held=$(hold a 4)
start_pusher a
set_counters
by_limit
point "a slot that is in the swap cache isn't won" \
	"$held $(written) $(debug stored_pages) $(true_that [ "$(debug reject_reclaim_fail)" -gt "$failed_to" ])" \
	"256 0 256 yes"
point "and reads back" "$(ask a check)" "same 256"
stop b
stop a

# memory.zswap.writeback
for where in "itself" "its parent"; do
	start a 0
	if [ "$where" = itself ]; then
		cg=a
	else
		mkdir /cg/p
		echo +memory > /cg/p/cgroup.subtree_control
		mkdir /cg/p/c
		cat /cg/a/cgroup.procs > /cg/p/c/cgroup.procs
		cg=p/c
	fi
	echo 0 > "/cg/${cg%/c}/memory.zswap.writeback"
	with a map 256 4
	with a fill text 1
	with a out
	set_counters
	start_pusher $cg
	by_cgroup $cg
	point "forbidden by $where: not by the cgroup's limit" "$(written) $(debug stored_pages)" "0 256"
	set_param shrinker_enabled Y
	for _ in $(seq 10); do
		echo 64M swappiness=0 > /cg/$cg/memory.reclaim
		usleep 200000
	done 2> /dev/null
	set_param shrinker_enabled N
	point "forbidden by $where: not by the shrinker" "$(written) $(debug stored_pages)" "0 256"
	start c 0
	with c map 128 4
	with c fill text 2
	with c out
	by_limit
	point "forbidden by $where: not by the limit, which takes others" "$(written) $(debug stored_pages)" "128 256"
	point "and reads back" "$(ask a check), $(ask c check)" "same 256, same 128"
	stop c
	stop b
	cat /cg/$cg/cgroup.procs > /cg/a/cgroup.procs
	stop a
	[ "$where" = itself ] || rmdir /cg/p/c /cg/p
done
swap_off
