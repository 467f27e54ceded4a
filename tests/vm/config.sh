# SPDX-License-Identifier: GPL-2.0
# boot: zswap.max_pool_percent=20
# A round trip that works in every configuration: without debugfs, without memory cgroups, and
# without zswap.enabled on the command line.
. ./lib.sh
plan 7

# By the names of the crates, which the names of their symbols have.
logged=$(for name in zswap swap_cache; do dmesg | grep -c "\] $name: Rust implementation\$"; done | tr '\n' ' ')
linked=$(for crate in 8zswap_rs 13swap_cache_rs; do grep -q $crate /proc/kallsyms; echo $((1 - $?)); done | tr '\n' ' ')
point "the log names what is in Rust" "$logged" "$linked"

[ "$(cat $PARAM/enabled)" = Y ] || echo Y > $PARAM/enabled
point "zswap is enabled" "$(cat $PARAM/enabled)" Y
sizes="4 64"
[ -d $THP ] || sizes="4 4" # as under PREEMPT_RT
for swap in brd virtio; do
	swap_on $swap
	for kib in $sizes; do
		folios $kib
		start a 0
		with a map 2048 $kib
		with a fill last 1
		out=$(vmstat zswpout) in=$(vmstat zswpin)
		with a out
		out=$(($(vmstat zswpout) - out))
		with a in
		point "$swap, folios of $kib KiB: stored, loaded" \
			"$out $(($(vmstat zswpin) - in)) $(ask a check)" "2048 2048 same 2048"
		stop a
	done
	swap_off
done

# The number requested; else the machine's one node, which a kernel without NUMA doesn't show.
nodes=$(find /sys/devices/system/node/ -name 'node[0-9]*' 2> /dev/null | wc -l)
want=$(sed -n 's/.*numa=fake=\([0-9]*\).*/\1/p' /proc/cmdline)
[ -n "$want" ] || want=$(find /sys/devices/system/ -name node | wc -l)
point "memory nodes" "$nodes" "$want"
