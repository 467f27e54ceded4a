# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0 kunit.enable=0
# only: docs/upstream/drain-all-stock.md
# A CPU's stock of a cgroup's charges is drained when the cgroup is removed, even after the CPU was
# offline. C's memory cgroups don't always do that, so this isn't part of `make test`.
. ./lib.sh
plan 3

online=/sys/devices/system/cpu/cpu1/online

# use CGROUP: charges it for a process on CPU 1, which keeps some charges in stock
use()
{
	# shellcheck disable=SC2016
	taskset 2 sh -c 'echo $$ > "/cg/$0/cgroup.procs"; echo $(seq 2000) > /run/numbers' "$1"
}

dying()
{
	echo 3 > /proc/sys/vm/drop_caches # cached pages also pin a cgroup
	awk '$1 == "nr_dying_descendants" { print $2 }' /cg/cgroup.stat
}

# gone: creates, uses and removes a cgroup; prints how many removed ones are still pinned
gone()
{
	mkdir /cg/gone
	use gone
	rmdir /cg/gone
	for _ in $(seq 20); do
		[ "$(dying)" != 0 ] || break
		sleep 1
	done
	dying
}

point "a cgroup that is removed is gone" "$(gone)" 0

# Exceeding a limit drains all CPUs' stocks of the cgroup, at some moment while CPU 1 goes offline.
mkdir /cg/a
for n in $(seq 200); do
	use a
	{ usleep $((n % 40 * 1000)); echo 0 > /cg/a/memory.high; } &
	echo 0 > $online
	wait
	echo max > /cg/a/memory.high
	echo 1 > $online
done
point "so is one after CPU 1 was down and up 200 times, and drained meanwhile" "$(gone)" 0
echo 0 > $online
point "it is once CPU 1 goes down" "$(soon 0 dying)" 0
echo 1 > $online
rmdir /cg/a
