# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 slab_nomerge
# All operations on zswap at once, on virtio-blk and a swap file, for two minutes (guest/stress).
# Afterwards nothing may be left.
# usage: stress.sh [SECONDS [SEED]]
. ./lib.sh

seconds=${1:-120} seed=${2:-$(date +%s)}
leaks=/sys/kernel/debug/kmemleak
echo "# seed $seed"
plan 8

swap_on virtio
swap_off
swap_on file
swap_off
stress "$seconds" "$seed" /dev/vda vda /mnt/swap vdb | tee /run/stress

# An event's count; "?" if the table lacks it.
times() { awk -v name="$1" '$1 == name { print $2; found = 1 } END { if (!found) print "?" }' /run/stress; }
never()
{
	for name; do
		case $(times "$name") in 0 | '?') echo "$name" ;; esac
	done
}
point "all pages read back as written" \
	"wrong $(times wrong), of them zeros $(times old_behind_zero), killed $(times killed), faults $(times faults), requests handed in twice $(times reused)" \
	"wrong 0, of them zeros 0, killed 0, faults 0, requests handed in twice 0"
point "every operation happened" \
	"$(never compared zswpout zswpin zswpwb pswpout pswpin swpout_zero swpin_zero large_folios limit_hits \
		limits_set reclaims flips accelerator_flips submitted backlogged forks cgroups cpu_flips /dev/vda /mnt/swap)" ""

# ends WANT CMD...: CMD's output once it is WANT, else once it hasn't decreased for 20 s: the time
# for all to be freed depends on the amount, and on the machine's load. Decreasing means fewer
# words, or smaller numbers. The current output is shown every 10 s.
ends()
{
	want=$1 least='' since=$(uptime) shown=$(uptime)
	shift
	while true; do
		got=$("$@")
		[ "$got" != "$want" ] || break
		now=$(uptime)
		size=$(echo "$got" | awk '{ sum = NF; for (i = 1; i <= NF; i++) sum += $i; print sum }')
		if [ "$size" -lt "${least:-$((size + 1))}" ]; then
			least=$size since=$now
		fi
		[ "$(awk "BEGIN { print ($now - $since > 20) }")" = 0 ] || break
		if [ "$(awk "BEGIN { print ($now - $shown > 10) }")" = 1 ]; then
			shown=$now
			echo "# $1: $got" >&2
		fi
		usleep 100000
	done
	echo "$got"
}
left() { echo "$(debug stored_pages) $(debug stored_incompressible_pages) $(debug pool_total_size)"; }
point "zswap is empty" "$(ends "0 0 0" left)" "0 0 0"
charged() { cat /cg/stress/memory.zswap.current /cg/stress/*/memory.zswap.current | sort -u | xargs; }
point "no cgroup is charged for any of it" "$(ends 0 charged)" 0
# Per-CPU stocks of free objects count as used.
objects()
{
	for cache in zswap_entry zs_handle zspage; do
		echo 1 > /sys/kernel/slab/$cache/shrink
		awk -v name=$cache '$1 == name { print name, $2 }' /proc/slabinfo
	done | xargs
}
none="zswap_entry 0 zs_handle 0 zspage 0"
point "no entry, object or page of a pool is left" "$(ends "$none" objects)" "$none"

# Each pool has its own compressors.
pools()
{
	awk '$1 == "name" { name = $3 }
		$1 == "refcnt" { used = $3 }
		$1 == "type" && $3 ~ /comp/ && used > 1 { print name }' /proc/crypto | sort -u
}
current=$(cat "$PARAM/compressor")
point "no pool is left but the current one" "$(ends "$current" pools)" "$current"

rmdir /cg/stress/*/ /cg/stress
# A removed cgroup is pinned by cached pages, until they are dropped; by charges in CPU 1's stock,
# until it goes offline (drain_all_stock() skips it once it went offline with a drain pending); or
# by a leaked charge.
echo 0 > /sys/devices/system/cpu/cpu1/online
echo 1 > /sys/devices/system/cpu/cpu1/online
dying()
{
	echo 3 > /proc/sys/vm/drop_caches
	awk '$1 == "nr_dying_descendants" { print $2 }' /cg/cgroup.stat
}
point "the removed cgroups are gone" "$(ends 0 dying)" 0

# Scans twice: an object that has just moved may look leaked the first time. KUnit suites leak some
# on purpose.
leaked()
{
	echo scan > $leaks && sleep 6 && echo scan > $leaks || echo "kmemleak is off"
	awk '/^unreferenced/ { head = $0; next }
		/^  comm/ { shown = !/"kunit/; if (shown) print head }
		shown' $leaks
}
if [ -e $leaks ]; then
	point "no memory is lost" "$(leaked | head -n 40)" ""
else
	skip "no memory is lost" "no kmemleak: see make sanitize"
fi
