# SPDX-License-Identifier: GPL-2.0
# What the tests of swap's users share: one scene of guest/users is one point.
# shellcheck shell=sh

# What is in parts isn't put together before a test wants it.
echo 1000000000 > $THP/khugepaged/scan_sleep_millisecs

# scene NAME WANT SCENE [ARGUMENT]
scene()
{
	name=$1 want=$2
	shift 2
	point "$name" "$(users "$@" 2>&1)" "$want"
}

# on SWAP Y|N: swap on it, with zswap in front or not
on()
{
	set_param enabled "$2"
	swap_on "$1"
	where="$1$([ "$2" = Y ] || echo " alone")"
}

# on_each_swap COMMAND: with each device, and zswap in front or not; a file is the same to zswap
on_each_swap()
{
	for swap in brd virtio file; do
		for zswap in Y N; do
			[ $swap != file ] || [ $zswap = N ] || continue
			on $swap $zswap
			"$1"
			! grep -q "^$device " /proc/swaps || swap_off
		done
	done
}
