# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# only: rust plain-rust
# Large folios that come back whole from zswap, by which faults, and when they don't.
. ./lib.sh
plan 34

# With the switch for tests, each range in zswap is admitted. Without it the policy chooses.
admit_all() { echo "$1" > /sys/module/swap_cache/parameters/admit_all_large; }

# whole NAME: reads all pages of the worker; answers whether all came as folios of 64 KiB, by how many faults
whole()
{
	loads=$(debug large_loads) faults=$(vmstat pgmajfault)
	ask "$1" in > /run/in
	echo "$(($(debug large_loads) - loads)) large, $(($(vmstat pgmajfault) - faults)) faults"
}

for swap in brd virtio; do
	swap_on $swap
	folios 64
	start a 0
	admit_all Y
	for kind in text random same mixed; do
		with a map 1024 64
		with a fill $kind 7
		with a out
		point "$swap, $kind: 64 folios by 64 faults" "$(whole a), $(ask a check)" \
			"64 large, 64 faults, same 1024"
		with a out
		point "$swap, $kind: again, after they were stored again" "$(whole a), $(ask a check)" \
			"64 large, 64 faults, same 1024"
		with a unmap
	done
	# Half of the folios are half zeroes; the others are all zeroes, which C swaps in by their marks.
	with a map 1024 64
	with a fill holes 3
	with a out
	point "$swap: zeroes among others" "$(whole a | cut -d, -f1), $(ask a check)" "32 large, same 1024"
	with a fill text 9
	with a out
	loads=$(debug large_loads) fails=$(debug large_load_fail)
	with a poke 16
	point "$swap: a write brings the folio" \
		"$(($(debug large_loads) - loads)), $(ask a wrong), $(($(debug large_load_fail) - fails))" "64, 64, 0"
	with a fill text 10
	with a out
	point "$swap: a child and its parent share pages: page by page" \
		"$(ask a fork), $(ask a check)" "done, same 1024"
	with a unmap

	admit_all N
	with a map 1024 64
	with a fill text 11
	with a out
	got=$(whole a)
	# The first folio comes page by page; its neighbours follow whole.
	point "$swap: the policy admits a run" \
		"$(true_that [ "${got%% *}" -ge 60 ]), $(ask a check)" "yes, same 1024"
	with a out
	loads=$(debug large_loads)
	with a poke 64
	point "$swap: and not pages far apart" \
		"$(($(debug large_loads) - loads)), $(ask a wrong)" "0, 16"
	with a fill random 12
	set_param large_swapin N
	with a out
	point "$swap: nor any with large_swapin=N" "$(whole a | cut -d, -f1), $(ask a check)" "0 large, same 1024"
	set_param large_swapin Y
	# Anew: pages that came one by one may have got other slots.
	with a unmap
	with a map 1024 64
	with a fill text 13
	with a out
	cluster=$(cat /proc/sys/vm/page-cluster)
	echo 0 > /proc/sys/vm/page-cluster
	got=$(whole a)
	point "$swap: vm.page-cluster=0 only limits readahead" \
		"$(true_that [ "${got%% *}" -ge 60 ]), $(ask a check)" "yes, same 1024"
	echo "$cluster" > /proc/sys/vm/page-cluster
	with a out
	admit_all Y
	point "$swap: swapoff brings all back" "$(swap_off; echo "$?, $(ask a check)")" "0, same 1024"
	stop a
	swap_on $swap
	point "$swap: nothing is left" "$(debug stored_pages)" 0
	swap_off
done
admit_all N
