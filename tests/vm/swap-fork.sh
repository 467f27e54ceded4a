# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# Memory that is swapped out when its process forks, or while it forks.
. ./lib.sh
. ./users.sh
plan 12

forks()
{
	scene "$where: fork with all swapped, and more users than a swap-table entry counts" \
		"out 256, again 256, children 40, out 256, same" fork
	scene "$where: copy on write of what parent and child have swapped" \
		"out 1024, again 1024, child 1, same" cow
	[ $zswap = N ] || scene "$where: fork while it is swapped" "children 12, same" forking
}
on_each_swap forks
