# SPDX-License-Identifier: GPL-2.0
# In the guest: the rows of the measurement latency. Each is COMPRESSOR<tab>KIB<tab>WHAT<tab>NS..., as bench/latency.c
# prints it.
#
# usage: sh latency.sh FAULTS SEED
. ./lib.sh
. ./counted.sh

# measure COMPRESSOR KIB FAULTS SEED
measure()
{
	loaded=$(vmstat zswpin)
	[ "$2" -lt 64 ] || whole=$(folios_stored "$2")
	latency "$2" "$3" "$4" > /run/rows || { cat /run/rows; exit 1; }
	loaded=$(($(vmstat zswpin) - loaded))
	[ $loaded = "$3" ] || { echo "latency: zswap loaded $loaded pages, not $3"; exit 1; }
	[ "$2" -lt 64 ] || [ "$whole" != "$(folios_stored "$2")" ] ||
		{ echo "latency: no folio of $2 KiB was stored"; exit 1; }
	sed "s/^/$1	/" /run/rows
}

# fine: whether timers expire when they should, and not at the next tick
fine() { awk '/hres_active/ { print $3; exit }' /proc/timer_list; }

prove_unit latency
[ "$(soon 1 fine)" = 1 ] || { echo "latency: the timers have no high resolution"; exit 1; }
swap_on brd
set_param max_pool_percent 90
set_param enabled Y
for compressor in lz4 zstd; do
	set_param compressor $compressor
	for kib in 0 64 2048; do
		[ $kib = 0 ] || folios $kib
		measure $compressor $kib "$1" "$2"
	done
done
