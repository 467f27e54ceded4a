# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 zswap.compressor=zswap_faulty slab_nomerge kunit.enable=0
# The fault-injecting compressor during stores and loads.
. ./lib.sh
. ./fault-injection.sh
plan 36

set_param compressor zswap_faulty

# --- Compressors ----------------------------------------------------------
# A page that fails to compress is stored uncompressed.
swap_on virtio
for kib in 4 64; do
	folios $kib
	start a 0
	with a map 64 $kib
	got='' want=''
	for what in none eio einval enomem enospc empty page huge; do
		inject compress $what
		with a fill text 1
		with a out
		got="$got$what $(debug stored_pages) $(debug stored_incompressible_pages) $(ask a check), "
		[ $what = none ] && raw=0 || raw=64
		want="$want$what 64 $raw same 64, "
	done
	point "$kib KiB: pages are stored raw if the compressor fails" "$got" "$want"
	inject compress eio 10 3
	with a fill text 2
	with a out
	point "$kib KiB: only the pages that it fails for are stored raw" \
		"$(injected compress) $(debug stored_pages) $(debug stored_incompressible_pages) $(ask a check)" "18 64 18 same 64"
	inject compress none
	stop a
done
folios 4

# Except with writeback disabled, when it would never free memory.
start a 0
echo 0 > /cg/a/memory.zswap.writeback
with a map 64 4
got='' want=''
for what in eio einval enomem enospc empty page huge; do
	inject compress $what
	with a fill text 1
	mark
	got="$got$what $(ask a fail out 1000000) $(debug stored_pages) $(grew reject_compress_fail reject_compress_poor) $(ask a check), "
	[ $what = enospc ] && rejected="0 64" || rejected="64 0"
	want="$want$what missed 64 0 $rejected same 64, "
done
inject compress none
point "no writeback: refused, with its reason" "$got" "$want"
stop a

# A page that was compressed wrongly is lost. Each reader gets an error, and never another page's
# data.
start a 0
with a map 16 4
for what in short long garbage; do
	spoil a $what
	point "compressed $what: every reader is killed" \
		"$(ask a readers); $(ask a readers); $(debug stored_pages) $(true_that [ "$(grew decompress_fail)" -gt 0 ])" \
		"same 0, not 0, killed 16; same 0, not 0, killed 16; 16 yes"
	with a unmap
	with a map 16 4
done
stop a
point "all is given back" "$(debug stored_pages) $(debug pool_total_size)" "0 0"
swap_off
point "and after swapoff" "$(left "zswap_faulty 2")" "$(nothing "zswap_faulty 2")"

# --- Decompressors: loading -----------------------------------------------
# Drops the folios that could not be filled: with readahead, once memory.stat, which lags, shows all four.
drop_failed()
{
	[ $swap = brd ] || (soon $((4 * page * 1024)) memcg_stat "$1" swapcached) > /run/cached
	drop "$1"
}

# A page that can't be decompressed stays stored until it can.
for swap in brd virtio; do
	swap_on $swap
	for what in eio einval enomem enospc empty short long huge; do
		start a 0
		with a map 4 4
		with a fill text 1
		with a out
		mark
		inject decompress $what
		got="$(ask a readers), "
		drop_failed a
		got="$got$(ask a readers), $(debug stored_pages) $(grew decompress_fail), "
		inject decompress none
		drop_failed a
		point "$swap, $what: readers are killed until the decompressor works again" "$got$(ask a readers), $(debug stored_pages)" \
			"same 0, not 0, killed 4, same 0, not 0, killed 4, 4 8, same 4, not 0, killed 0, 0"
		stop a
	done

	start a 0
	with a map 16 4
	with a fill text 1
	with a out
	inject decompress eio 0 2
	got="$(ask a readers), "
	inject decompress none
	drop a
	point "$swap: only readers of pages that fail are killed" "$got$(ask a readers)" \
		"same 8, not 0, killed 8, same 16, not 0, killed 0"

	# A decompressor's garbage of the right length can't be detected: it is passed on.
	with a fill text 2
	with a out
	inject decompress garbage
	got=$(ask a readers)
	inject decompress none
	point "$swap: garbage of the right length is passed on" "$got, $(debug stored_pages)" "same 0, not 16, killed 0, 0"
	with a unmap
	with a map 64 4
	point "$swap: it goes on" "$(works a)" "64 same 64"
	stop a
	swap_off
	point "$swap: and leaves nothing" "$(left "zswap_faulty 2")" "$(nothing "zswap_faulty 2")"
done

# The log: at most ten lines in 5 s.
swap_on brd
sleep 6
for what in eio einval enomem enospc empty short long huge; do
	start a 0
	with a map 1 4
	with a fill text 1
	with a out
	inject decompress $what
	with a readers
	inject decompress none
	stop a
done
point "the log has the wrong lengths" \
	"$(dmesg | grep 'zswap: Decompression error from zswap (0:[0-9]* zswap_faulty [0-9]*->[0-9]*)$' | tail -n 8 | sed 's/.*->//; s/)//' | paste -s -d ' ' -)" \
	"4096 4096 4096 4096 0 4095 4097 16384"
swap_off
no_leaks "nothing is leaked"
