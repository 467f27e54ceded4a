# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 slab_nomerge kunit.enable=0
# An asynchronous compressor, like hardware: requests take time, and several are in flight.
. ./lib.sh
. ./fault-injection.sh
plan 27

accel=/sys/kernel/debug/zswap_accel
# accel NAME [VALUE]
accel() { [ $# = 1 ] && cat $accel/"$1" || echo "$2" > $accel/"$1"; }

set_param compressor zswap_accel
swap_on virtio
pages=1024
accel latency_us 1000
accel hold_until 8 # however long it takes to submit them

# Of another test in this boot.
accel most 0

# Up to 8 pages of a folio are compressed at a time; C compresses one after the other.
grep -q ' _R.*8zswap_rs' /proc/kallsyms && many=8 || many=1
folios 4
start a 0
with a map $pages 4
with a fill text 1
with a out
point "folios of one page: one at a time" "$(debug stored_pages) $(accel most) $(ask a check)" "$pages 1 same $pages"
stop a

for kib in 64 2048; do
	folios $kib
	for how in plain reorder elsewhere both full; do
		accel most 0
		accel backlogged 0
		case $how in reorder | both | full) accel reorder Y ;; *) accel reorder N ;; esac
		case $how in elsewhere | both | full) accel elsewhere Y ;; *) accel elsewhere N ;; esac
		[ $how = full ] && accel depth 3 || accel depth 16
		start a 0
		with a map $pages $kib
		with a fill text 1
		with a out
		most=$many waited=no
		[ $how = full ] && [ $many = 8 ] && most=3 waited=yes
		point "$kib KiB, $how: $most under way, each page its own" \
			"$(debug stored_pages) $(debug stored_incompressible_pages) $(accel most) $(true_that [ "$(accel backlogged)" -gt 0 ]) $(ask a check)" \
			"$pages 0 $most $waited same $pages"
		stop a
	done
	# C stores zero pages, too, but not of a folio that has no others.
	if [ $many = 8 ]; then kept=256; elif [ $kib = 64 ]; then kept=512; else kept=1024; fi
	start a 0
	with a map 1024 $kib
	with a fill holes 2
	with a out
	point "$kib KiB: the pages between pages of zeroes are their own" \
		"$(debug stored_pages) $(ask a check)" "$kept same 1024"
	stop a
done
accel depth 16
accel hold_until 0
accel latency_us 20

# Some requests in flight fail: each page is handled as if compressed alone.
folios 64
start a 0
with a map 64 64
for how in N Y; do
	accel reorder $how
	got='' want=''
	for what in eio einval enomem enospc empty page huge; do
		inject compress $what
		with a fill text 1
		with a out
		got="$got$what $(debug stored_pages) $(debug stored_incompressible_pages) $(ask a check), "
		want="$want$what 64 64 same 64, "
	done
	point "reorder $how: pages are stored raw if the compressor fails" "$got" "$want"
	inject compress eio 10 3
	with a fill text 2
	with a out
	point "reorder $how: only the pages that it fails for are stored raw" \
		"$(injected compress) $(debug stored_pages) $(debug stored_incompressible_pages) $(ask a check)" "18 64 18 same 64"
	inject compress none
done
stop a

# If a page is refused, all of its folio is, after the requests in flight have completed. It is the
# first of its eight, and they complete one after the other: seven are in flight when the next folio
# comes.
accel latency_us 20000
accel depth 1
start a 0
echo 0 > /cg/a/memory.zswap.writeback
with a map 64 64
for what in eio enospc; do
	inject compress $what 0 41
	with a fill text 1
	mark
	with a fail out 1000000
	[ $what = enospc ] && rejected="0 1" || rejected="1 0"
	point "no writeback, $what: one folio of four is refused, by one page" \
		"$(debug stored_pages) $(grew reject_compress_fail reject_compress_poor) $(accel reused) $(ask a check)" "48 $rejected 0 same 64"
done
inject compress none
accel latency_us 20
accel depth 16
stop a

# A page that was compressed wrongly is lost, and no reader gets another page's data.
for what in short garbage; do
	start a 0
	with a map 16 64
	spoil a $what
	point "compressed $what: every reader is killed" \
		"$(ask a readers); $(debug stored_pages) $(true_that [ "$(grew decompress_fail)" -gt 0 ])" \
		"same 0, not 0, killed 16; 16 yes"
	stop a
done

# Everything at once.
accel elsewhere Y
accel latency_us 200
cpu=/sys/devices/system/cpu/cpu1/online
start a
start b
with a map 1024 64
with b map 1024 64
with a fill text 1
with b fill text 2
tell a cycle 4
tell b cycle 4
for round in 1 2 3 4; do
	echo 0 > $cpu
	set_param compressor lz4
	accel depth $round
	echo 1 > $cpu
	set_param compressor zswap_accel
	accel depth 16
done
point "CPUs, compressors and depths change under load" "$(hear a) $(hear b) $(ask a check) $(ask b check)" \
	"done done same 1024 same 1024"
with a out
with b out
got=$(true_that [ "$(debug stored_pages)" -gt 0 ])
swap_off
point "swapoff brings them back" "$got $(ask a check) $(ask b check)" "yes same 1024 same 1024"
stop a
stop b
point "no request was submitted twice" "$(accel reused)" 0
point "and leaves nothing" "$(left "zswap_accel 2 zswap_accel 2")" "$(nothing "zswap_accel 2 zswap_accel 2")"

# The algorithm can't be removed while it has transforms, and no pool is created if one CPU gets
# none.
swap_on virtio
set_param compressor lz4
with_lz4=$(soon "lz4 4" transforms)
inject init enomem 1 1
set_param compressor zswap_accel 2> /dev/null
point "a transform that fails on one CPU: the old pool goes on" "$with_lz4 $(cat $PARAM/compressor) $(injected init) $(transforms)" \
	"lz4 4 lz4 1 lz4 4"
inject init none
start a 0
with a map 64 64
point "and stores" "$(works a)" "64 same 64"
stop a
swap_off
