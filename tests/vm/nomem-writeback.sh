# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 slab_nomerge kunit.enable=0
# Failing allocations during writeback.
. ./lib.sh
. ./writeback-paths.sh
. ./fault-injection.sh
plan 19

fragile 1
set_param compressor lz4

# At a cgroup's limit, the storing task writes back.
evict()
{
	with a fill text "$1"
	with b fill text "$1"
	with a out
	[ "$(debug stored_pages)" = 4 ] || { echo "not all pushed out"; return; }
	echo 0 > /cg/a/memory.zswap.max
	got=$(ask b fail out "$1")
	echo max > /cg/a/memory.zswap.max
	echo "$got, $(ask a check), $(ask b check)"
}

# workers_fail 0|1: sets it for workers, and for kthreadd, from which new workers inherit it
workers_fail()
{
	grep -l -E '^(kworker/|kthreadd)' /proc/[0-9]*/comm 2> /dev/null | while read -r comm; do
		echo "$1" > "${comm%comm}make-it-fail"
	done 2> /dev/null # some end meanwhile
}

for swap in brd virtio file; do
	swap_on $swap
	start a 0
	with a map 4 4
	start b 0
	cat /cg/b/cgroup.procs > /cg/a/cgroup.procs
	with b map 4 4
	mark
	point "$swap, by cgroup: each allocation fails once" "$(each_fails evict "missed 4, same 4, same 4")" \
			"wrong: none, yes, missed 4, same 4, same 4"
	point "$swap, by cgroup: some entries weren't written back for it" \
		"$(true_that [ "$(grew reject_reclaim_fail)" -gt 0 ]) $(true_that [ "$(grew written_back_pages)" -gt 0 ])" "yes yes"
	stop b
	stop a

	# The shrinker runs in the reclaiming task.
	start a 0
	with a map 256 4
	mark
	got='' want=''
	for interval in 2 3 5 7; do
		with a fill text $interval
		with a out
		fragile $interval
		set_param shrinker_enabled Y
		for _ in $(seq 150); do
			nth 0 put /cg/a/memory.reclaim "64M swappiness=0" > /run/nth
			[ "$(debug stored_pages)" -gt 64 ] || break
			usleep 200000 # the shrinker uses statistics that lag
		done
		set_param shrinker_enabled N
		got="$got$(ask a check), "
		want="${want}same 256, "
	done
	point "$swap, by shrinker: some fail" \
		"$got$(true_that [ "$(grew reject_reclaim_fail)" -gt 0 ]) $(true_that [ "$(grew written_back_pages)" -gt 0 ])" "${want}yes yes"
	stop a

	# At the global limit a kernel thread writes back. All of them are made to fail.
	start a 0
	with a map 256 4
	start_pusher a
	mark
	got='' want=''
	for interval in 2 3 5; do
		with a fill text $interval
		with a out
		fragile $interval
		workers_fail 1
		by_limit
		workers_fail 0
		got="$got$(ask a check) $(ask b check), "
		want="${want}same 256 same 256, "
	done
	fragile 1
	point "$swap, by limit: some fail" \
		"$got$(true_that [ "$(grew reject_reclaim_fail)" -gt 0 ]) $(true_that [ "$(grew written_back_pages)" -gt 0 ])" "${want}yes yes"
	point "$swap: it goes on" "$(works a), $(stop b) $(charged a)" "256 same 256,  0 0 0"
	stop a
	swap_off
	point "$swap: nothing is left" "$(left "lz4 4")" "$(nothing "lz4 4")"
done
no_leaks "nothing is leaked"
