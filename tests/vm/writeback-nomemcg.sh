# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 cgroup_disable=memory
# Writeback without memory cgroups: by the limit and by the shrinker.
. ./lib.sh
. ./writeback-paths.sh
plan 5

swap_on virtio
start a 0
with a map 512 4
with a fill last 1
with a out
start_pusher a
count=$(debug written_back_pages) event=$(vmstat zswpwb)
by_limit
count=$(($(debug written_back_pages) - count)) event=$(($(vmstat zswpwb) - event))
point "the limit empties it" "$(debug stored_pages), $(true_that [ $count -ge 512 ]), $event" "0, yes, $count"
point "and all reads back" "$(ask a check)" "same 512"
stop b
stop a

# Slabs only: real pressure, not confined to a cgroup, would invoke the OOM killer first.
start a 0
with a map 2048 4
with a fill last 2
with a out
count=$(debug written_back_pages)
echo 2 > /proc/sys/vm/drop_caches
point "the shrinker is off" "$(debug stored_pages) $(($(debug written_back_pages) - count))" "2048 0"
set_param shrinker_enabled Y
for _ in $(seq 20); do
	echo 2 > /proc/sys/vm/drop_caches
	[ "$(debug stored_pages)" -gt 64 ] || break
done
set_param shrinker_enabled N
point "the shrinker empties it" \
	"$(true_that [ "$(debug stored_pages)" -le 64 ]), $(($(debug stored_pages) + $(debug written_back_pages) - count))" \
	"yes, 2048"
point "and all reads back" "$(ask a check)" "same 2048"
stop a
swap_off
