# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 transparent_hugepage=never
# only: docs/upstream/readahead-dirty.md
# Folios that readahead has loaded from zswap, and that no process has mapped: they are dirty, and reclaim must be able to
# store them again. See docs/upstream.
. ./lib.sh
plan 5

cached() { echo $(($(memcg_stat a swapcached) / 4096)); }
# half [LIMIT]: each second of 4096 pages is changed, and readahead brings the others; the answer is in $got
half()
{
	start a 0
	with a map 4096 4
	with a fill same 1
	with a out
	[ -z "$1" ] || echo "$1" > /cg/a/memory.max
	got=$(ask a poke 2)
}

swap_on virtio
half
before=$(cached)
point "the others are in the swap cache" "$(true_that [ "$before" -ge 1900 ])" yes
echo 16M > /cg/a/memory.reclaim 2> /run/reclaim
few() { true_that [ "$(cached)" -le 100 ]; }
point "reclaim stores them again" "$(soon yes few)" yes
echo "# swap cache: $before pages, then $(cached)"
point "each second page has changed" "$got, $(ask a wrong)" "done, 2048"
stop a
half 6M
point "with a limit of 6 MiB, too, and the process isn't killed" "$got, $(ask a wrong)" "done, 2048"
point "the OOM killer has killed none" "$(vmstat oom_kill)" 0
stop a
swap_off
