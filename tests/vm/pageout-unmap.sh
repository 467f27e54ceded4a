# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0 transparent_hugepage=always kunit.enable=0
# only: docs/upstream/pageout-unmap.md
# Memory is paged out and unmapped while it is written to swap: its folios and slots stay until reclaim
# finds them. See docs/upstream: that is C that both implementations share.
. ./lib.sh
plan 9

set_param enabled N

used() { awk 'NR > 1 { n += $4 } END { print n + 0 }' /proc/swaps; }
got() { awk -v name="$1" '$1 == name { print $2 }' /run/pageout; }

# rounds N [settle]: N times 12 MiB, by a process in the cgroup a; sets out, the MiB that were written
rounds()
{
	before=$(vmstat pswpout)
	# shellcheck disable=SC2016
	sh -c 'echo $$ > /cg/a/cgroup.procs; exec pageout 12 "$@"' - "$@" > /run/pageout
	out=$((($(vmstat pswpout) - before) / 256))
	echo "guest $* rounds, $out MiB: $(used) KiB in use, $(paste -s -d ' ' /run/pageout)"
}

mkdir /cg/a
folios 64
swap_on virtio
rounds 8 settle
point "unmapped after it was written: no slot is in use" "$out $(used)" "96 0"
rounds 24
point "unmapped while it is written: no slot is in use" "$out $(used)" "288 0"
left=$(used) cached=$(got cached)
point "a slot in use has a folio that is clean, unmapped and on a list" "$((cached * 4)) $(got idle)" "$left $cached"
point "these are charged to the cgroup, as memory and swap" \
	"$(true_that [ "$(memcg_stat a swapcached)" = $((left * 1024)) ]) $(memcg a swap.current)" "yes $((left * 1024))"
echo 1G > /cg/a/memory.reclaim 2> /dev/null
point "reclaim frees them" "$(used) $(soon 0 memcg a swap.current)" "0 0"
swap_off

swap_on virtio 65536
rounds 24
point "a device of 64 MiB does not run full" "$out" 288
swap_off
point "swapoff frees them" "$(soon 0 memcg a swap.current)" 0

swap_on brd
rounds 8
point "a synchronous device: no slot is in use" "$out $(used)" "96 0"
swap_off
set_param enabled Y
swap_on virtio
stored=$(vmstat zswpout)
rounds 8
point "zswap: no slot is in use" "$((($(vmstat zswpout) - stored) / 256)) $(used)" "96 0"
swap_off
rmdir /cg/a
