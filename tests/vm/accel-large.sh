# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 slab_nomerge kunit.enable=0
# only: rust plain-rust
# An asynchronous compressor and large folios that come back whole: up to 8 pages are decompressed at a time, by one fault of 16.
. ./lib.sh
. ./fault-injection.sh
plan 6

accel=/sys/kernel/debug/zswap_accel
# accel NAME [VALUE]
accel() { [ $# = 1 ] && cat $accel/"$1" || echo "$2" > $accel/"$1"; }
admit_all() { echo "$1" > /sys/module/swap_cache/parameters/admit_all_large; }

set_param compressor zswap_accel
swap_on virtio
pages=1024
accel depth 16
accel latency_us 1000
accel hold_until 8 # however long it takes to submit them

set_param large_swapin Y
admit_all Y
folios 64
for how in plain reorder elsewhere both full; do
	case $how in reorder | both | full) accel reorder Y ;; *) accel reorder N ;; esac
	case $how in elsewhere | both | full) accel elsewhere Y ;; *) accel elsewhere N ;; esac
	start a 0
	with a map $pages 64
	with a fill text 1
	with a out
	[ $how = full ] && accel depth 3 && most=3 || most=8
	accel most 0
	mark
	point "back whole, $how: $most under way, each page its own" \
		"$(ask a check) $(grew large_loads) $(debug stored_pages) $(accel most)" "same $pages $((pages / 16)) 0 $most"
	accel depth 16
	stop a
done
# The twelfth page of the last folio, with others under way: page by page from there.
start a 0
with a map $pages 64
with a fill text 3
with a out
mark
inject decompress eio 20 1000
point "back whole: a request fails, and its folio's pages come one by one" \
	"$(ask a check) $(grew large_loads large_load_fail decompress_fail) $(debug stored_pages) $(injected decompress)" \
	"same $pages $((pages / 16 - 1)) 1 0 0 1"
inject decompress none
stop a
admit_all N
swap_off
accel hold_until 0
accel reorder N
accel elsewhere N
accel latency_us 20
