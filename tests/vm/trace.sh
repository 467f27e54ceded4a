# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.autorun=0
# only: rust
# The tracepoints' events, compared with other statistics. zswap in C has no tracepoints.
. ./lib.sh
. ./writeback-paths.sh
plan 16

T=/sys/kernel/tracing
mount -t tracefs tracefs $T 2> /dev/null
echo 8192 > $T/buffer_size_kb
# traced EVENT COMMAND...: runs it, and leaves the events in /run/trace
traced()
{
	echo > $T/trace
	event=$1; shift
	echo 1 > $T/events/zswap/"$event"/enable
	"$@"
	echo 0 > $T/events/zswap/"$event"/enable
	grep " $event: " $T/trace > /run/trace
}
# told PATTERN: the number of events that match
told() { grep -c -- "$1" /run/trace; }

swap_on virtio
set_param shrinker_enabled Y
start a 0
with a map 256 4
with a fill text 1

traced zswap_store with a out
point "each folio's store has an event" "$(told 'pages=1 zeroes=0 outcome=stored')" 256
traced swap_cache_add with a check
point "each page that is read is added to the swap cache" "$(told 'order=0 error=0')" 256
with a fill text 2
with a out
echo 1 > $T/events/zswap/zswap_load_begin/enable
traced zswap_load_end with a check
echo 0 > $T/events/zswap/zswap_load_begin/enable
point "each load ends well" "$(told 'error=0') $(grep -c ' zswap_load_begin: ' $T/trace)" "256 256"

# A histogram of load latencies, as in docs/tracing.md.
echo 'zswap_load_ns u64 ns' > $T/synthetic_events
echo 'hist:keys=common_pid:begun=common_timestamp' > $T/events/zswap/zswap_load_begin/trigger
echo 'hist:keys=common_pid:ns=common_timestamp-$begun:onmatch(zswap.zswap_load_begin).zswap_load_ns($ns)' \
	> $T/events/zswap/zswap_load_end/trigger
echo 'hist:keys=ns.log2' > $T/events/synthetic/zswap_load_ns/trigger
with a fill text 3
with a out
with a check
point "a histogram of load latencies has all loads" \
	"$(awk '/Hits:/ { print $2 }' $T/events/synthetic/zswap_load_ns/hist)" 256
echo '!hist:keys=ns.log2' > $T/events/synthetic/zswap_load_ns/trigger
echo '!hist:keys=common_pid:ns=common_timestamp-$begun:onmatch(zswap.zswap_load_begin).zswap_load_ns($ns)' \
	> $T/events/zswap/zswap_load_end/trigger
echo '!hist:keys=common_pid:begun=common_timestamp' > $T/events/zswap/zswap_load_begin/trigger
echo > $T/synthetic_events

set_param enabled N
with a fill text 4
traced zswap_store with a out
point "why a store is refused: disabled" "$(told 'outcome=disabled')" 256
set_param enabled Y
with a check
set_param max_pool_percent 0
with a fill text 5
traced zswap_store with a out
point "the pool's limit" "$(true_that [ "$(told 'outcome=pool limit')" -gt 0 ]) $(told 'outcome=stored')" "yes 0"
set_param max_pool_percent 20
with a check
echo 0 > /cg/a/memory.zswap.max
with a fill text 6
traced zswap_store with a out
point "the cgroup's limit" "$(told 'outcome=cgroup limit')" 256
echo max > /cg/a/memory.zswap.max
with a check
echo 0 > /cg/a/memory.zswap.writeback
with a fill random 7
echo 'hist:keys=outcome:vals=pages' > $T/events/zswap/zswap_store/trigger
traced zswap_store with a out
point "an incompressible page with writeback disabled" "$(told 'outcome=not compressed')" 256
point "and a histogram has these" \
	"$(sed -n 's/^{ outcome: *7 } .* pages: *\([0-9]*\)$/\1/p' $T/events/zswap/zswap_store/hist)" 256
echo '!hist:keys=outcome:vals=pages' > $T/events/zswap/zswap_store/trigger
echo 1 > /cg/a/memory.zswap.writeback
with a check

with a fill text 8
with a out
before=$(debug written_back_pages)
echo 1 > $T/events/zswap/zswap_shrink/enable
echo 'hist:keys=common_pid.execname if error == 0' > $T/events/zswap/zswap_writeback/trigger
traced zswap_writeback by_shrinker
echo 0 > $T/events/zswap/zswap_shrink/enable
written=$(($(debug written_back_pages) - before))
point "each written-back page has an event" \
	"$(told 'error=0') $(true_that [ $written -gt 0 ])" "$written yes"
point "a histogram has the task" \
	"$(sed -n 's/^{ common_pid: sh .* hitcount: *\([0-9]*\)$/\1/p' $T/events/zswap/zswap_writeback/hist)" $written
echo '!hist:keys=common_pid.execname if error == 0' > $T/events/zswap/zswap_writeback/trigger
point "the walks' events have the freed entries" \
	"$(sed -n 's/.* zswap_shrink: .* freed=\([0-9]*\) .*/\1/p' $T/trace | awk '{ n += $1 } END { print n + 0 }')" $written
point "and the cgroup" "$(grep -c " zswap_shrink: .* cgroup=$(stat -c %i /cg/a) " $T/trace | awk '{ print ($1 > 0) }')" 1

# Of these folios half is zero: the swap core marks it, and doesn't ask zswap.
folios 64
start b 0
with b map 256 64
with b fill holes 1
stored=$(debug stored_pages)
traced zswap_store with b out
point "a large folio's event has the pages that are only marked" \
	"$(told 'pages=16 zeroes=8 outcome=stored') of $(told pages=), $(($(debug stored_pages) - stored))" "8 of 8, 64"
stop b
folios 4

echo > $T/trace
with a fill text 9
with a out
with a check
point "disabled events record nothing" "$(grep -c -e zswap_ -e swap_cache_add $T/trace)" 0

with a fill text 10
with a out
stored=$(debug stored_pages)
traced zswap_invalidate stop a
point "freeing a stored slot has an event" "$(told slot=)" "$stored"
swap_off
