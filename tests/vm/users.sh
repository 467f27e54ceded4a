# SPDX-License-Identifier: GPL-2.0
# Shared by the tests of swap's users: each scene of guest/users is one point.
# shellcheck shell=sh

# khugepaged must not collapse pages before a test asks for it.
echo 1000000000 > $THP/khugepaged/scan_sleep_millisecs

# shared_folios KIB: the folio size of shared memory from now on
shared_folios()
{
	for size in "$THP"/hugepages-*kB/shmem_enabled; do
		case $size in
		*/hugepages-"$1"kB/*) echo always ;;
		*) echo never ;;
		esac > "$size"
	done
}

# scene NAME WANT SCENE [ARGUMENT]
scene()
{
	name=$1 want=$2
	shift 2
	point "$name" "$(users "$@" 2>&1)" "$want"
}

# on SWAP Y|N: turns swap on there, with or without zswap in front
on()
{
	set_param enabled "$2"
	swap_on "$1"
	where="$1$([ "$2" = Y ] || echo " alone")"
}

# on_each_swap COMMAND: runs it on each device, with and without zswap; zswap doesn't distinguish a
# file
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
