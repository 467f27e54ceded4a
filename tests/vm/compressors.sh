# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# Compressors switched while data is stored.
. ./lib.sh
plan 10

# in_use: the compressors with a transform; a pool has one on each CPU
in_use()
{
	awk '$1 == "name" { name = $3 } $1 == "refcnt" && $3 > 1 { print name }' /proc/crypto |
		sort | tr '\n' ' '
}

swap_on brd

set_param compressor lz4
start a 0
with a map 2048 4
with a fill last 1
with a out
set_param compressor zstd
start b 0
with b map 2048 4
with b fill last 2
with b out
point "two compressors hold pages" "$(debug stored_pages) $(in_use)" "4096 lz4 zstd "
with a in
point "pages of the old compressor read back" "$(ask a check)" "same 2048"
point "its pool is freed with its last page" "$(soon "zstd " in_use)" "zstd "
point "pages of the new one are still there" "$(debug stored_pages)" 2048

with a out
set_param compressor deflate
set_param compressor zstd
point "a pool that still holds pages is taken again" "$(soon "zstd " in_use)" "zstd "
point "with its pages" "$(ask a check), $(ask b check)" "same 2048, same 2048"

# While both processes swap out and in.
tell a cycle 8
tell b cycle 8
flips=0
for round in 1 2 3 4 5; do
	for compressor in deflate lz4 lz4-rust lzo 842 lzo-rle zstd; do
		set_param compressor $compressor && flips=$((flips + 1))
	done
done
point "compressors flipped in a loop under load" "$flips $(hear a) $(hear b)" "35 done done"

# Each worker's pages go to a different compressor.
stop b
for compressor in lz4 lz4-rust lzo zstd deflate 842; do
	w=w${compressor#*-} # must also be a variable's name
	set_param compressor $compressor
	start $w 0
	with $w map 256 4
	with $w fill last 3
	with $w out
done
six="842 deflate lz4 lz4-rust lzo zstd "
point "six pools side by side" "$(soon "$six" in_use)" "$six"
got=''
for compressor in lz4 lz4-rust lzo zstd deflate 842; do
	w=w${compressor#*-}
	got="$got$(ask $w check), "
	stop $w
done
point "read back" "$got" "same 256, same 256, same 256, same 256, same 256, same 256, "
stop a
point "all but the current one are gone at the end" "$(soon "842 " in_use)" "842 "
swap_off
