# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0 transparent_hugepage=always
# only: docs/upstream/unuse-large.md
# Swapoff meets a large folio that a fault has read from a synchronous device and not mapped. C takes
# it for a small one: see docs/upstream. zswap must never have been enabled: this has its own boot.
. ./lib.sh
plan 10

# run ARGUMENT...: the program, in a cgroup of its own
run()
{
	mkdir /cg/a
	# shellcheck disable=SC2016
	sh -c 'echo $$ > /cg/a/cgroup.procs; exec abandon "$@"' - "$device" /cg/a "$@" > /run/abandon
	echo "guest $(paste -s -d ' ' /run/abandon)"
	left=$(soon 0 memcg_stat a anon)
	rmdir /cg/a
}
got() { awk -v name="$1" '$1 == name { print $2 }' /run/abandon; }

folios 64
swap_on brd
run
point "folios were left in the swap cache" "$(got left)" 8
point "after swapoff each page is mapped once" "$(got mapped)" 0
point "all can be swapped out again" "$(got stuck)" 0
point "and have their contents" "$(got wrong)" 0
point "and are gone with their process" "$left" 0
swapon $device
run fork
point "folios were left in the swap cache, and their pages shared by fork" "$(got left)" 8
point "the process forked before swapoff came to it" "$(got before)" yes
point "after swapoff each page is mapped once per process" "$(got mapped)" 0
point "the parent doesn't see what its child writes" "$(got seen)" 0
point "and are gone with their processes" "$left" 0
