# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# The files of the user interface: names, modes, formats.
. ./lib.sh
plan 5

# list FOLDER: each file's mode and name, on one line
list() { (cd "$1" && stat -c '%a %n' ./* | tr '\n' ' '); }

# C doesn't have some of them. The large ones require the swap cache in Rust, too.
large='' skip='' loads='' files=11
if dmesg | grep -q 'zswap: Rust implementation'; then
	skip='644 ./skip_incompressible '
	if dmesg | grep -q 'swap_cache: Rust implementation'; then
		large='644 ./large_swapin ' loads='444 ./large_load_fail 444 ./large_loads ' files=13
	fi
fi
point "debugfs" "$(list $DEBUG)" "444 ./decompress_fail ${loads}444 ./pool_limit_hit 444 ./pool_total_size \
444 ./reject_alloc_fail 444 ./reject_compress_fail 444 ./reject_compress_poor \
444 ./reject_kmemcache_fail 444 ./reject_reclaim_fail 444 ./stored_incompressible_pages \
444 ./stored_pages 444 ./written_back_pages "
point "each a number on a line" "$(cat $DEBUG/* | grep -c '^[0-9][0-9]*$') of $(cat $DEBUG/* | wc -l)" "$files of $files"
point "parameters" "$(list $PARAM)" "644 ./accept_threshold_percent 644 ./compressor 644 ./enabled \
${large}644 ./max_pool_percent 644 ./shrinker_enabled $skip"
point "their defaults" "$(cat $PARAM/max_pool_percent $PARAM/accept_threshold_percent $PARAM/shrinker_enabled |
	tr '\n' ' ')" "20 90 N "

swap_on brd
start a 0
with a map 1024 4
with a fill last 1
with a out
kib=$(($(debug pool_total_size) / 1024))
point "/proc/meminfo" "$(awk '/^Zswap/ { print $1, $2, $3 }' /proc/meminfo | tr '\n' ' ')" \
	"Zswap: $kib kB Zswapped: 4096 kB "
stop a
swap_off
