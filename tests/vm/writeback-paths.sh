# SPDX-License-Identifier: GPL-2.0
# The paths to writeback: each empties zswap of worker a's pages.
# shellcheck shell=sh

# start_pusher CGROUP: worker b stores from this cgroup, which triggers writeback. Its own pages are
# loaded again at the end, so that only a's remain.
start_pusher()
{
	start b 0
	cat /cg/b/cgroup.procs > "/cg/$1/cgroup.procs"
	with b map 256 4
}

# by_cgroup [CGROUP]
by_cgroup()
{
	echo 0 > "/cg/${1:-a}/memory.zswap.max"
	for round in 1 2 3 4; do
		with b fill text $round
		with b out
	done
	with b in
	echo max > "/cg/${1:-a}/memory.zswap.max"
}

by_limit()
{
	set_param accept_threshold_percent 0
	set_param max_pool_percent 0
	# Until eight rounds change nothing.
	round=0 last=
	until [ $round = 8 ]; do
		round=$((round + 1))
		with b fill text $round
		with b out
		left=$(debug stored_pages)
		[ "$left" != 0 ] || break
		[ "$left" = "$last" ] || round=0
		last=$left
		usleep 100000
	done
	with b in
	set_param max_pool_percent 20
	set_param accept_threshold_percent 90
}

# Without swappiness only slabs are reclaimed: pages that are written back stay in memory.
by_shrinker()
{
	set_param shrinker_enabled Y
	for _ in $(seq 150); do
		echo 64M swappiness=0 > /cg/a/memory.reclaim
		[ "$(debug stored_pages)" -gt 16 ] || break
		usleep 200000 # the shrinker uses statistics that lag
	done 2> /dev/null # EAGAIN
	set_param shrinker_enabled N
}
