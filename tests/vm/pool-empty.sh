# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# only: lockdep c-lockdep
# Reclaim frees the last page of a pool that is no longer in use, with interrupts off. Stock C
# enables softirqs there: see docs/upstream. Needs lockdep, which reports that.
. ./lib.sh
plan 6

accel=/sys/kernel/debug/zswap_accel
submitted() { true_that [ "$(cat $accel/submitted)" -gt 0 ]; }
ended() { true_that [ -z "$(cat /cg/a/cgroup.procs)" ]; }
# The compressors with a transform.
in_use() { awk '$1 == "name" { name = $3 } $1 == "refcnt" && $3 > 1 { print name }' /proc/crypto | sort -u | paste -s -d ' ' -; }

point "lockdep is on" "$(awk '/debug_locks:/ { print $2 }' /proc/lockdep_stats)" 1
swap_on brd
set_param compressor zswap_accel
start a 0
with a map 256 4
with a fill text 1
stored=$(vmstat zswpout)
echo 0 > $accel/submitted
echo 10000000 > $accel/latency_us

# Reclaim has unmapped a page, and waits for the compressor with the folio locked. The process dies:
# its slots are freed, but not this one, as its folio is in the swap cache and can't be locked.
echo 1M > /cg/a/memory.reclaim 2> /dev/null &
reclaim=$!
point "a page is being compressed" "$(soon yes submitted)" yes
kill -9 "$(cat /cg/a/cgroup.procs)"
killed=$(soon yes ended)
# The pool goes out of use. After a grace period its references are counted in one place.
set_param compressor lz4
echo 20 > $accel/latency_us
usleep 2000000
point "meanwhile its process ends, and its pool goes out of use" \
	"$killed $(cat $PARAM/compressor) $(($(vmstat zswpout) - stored)) $(true_that kill -0 $reclaim)" "yes lz4 0 yes"

# Then the page is stored, its folio leaves the swap cache, and with it the slot is freed.
wait $reclaim
point "the page is stored" $(($(vmstat zswpout) - stored)) 1
point "and freed" "$(debug stored_pages) $(awk 'NR > 1 { print $4 }' /proc/swaps)" "0 0"
point "and so is its pool" "$(soon lz4 in_use)" lz4
stop a
swap_off
