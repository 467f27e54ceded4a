# SPDX-License-Identifier: GPL-2.0
# In the guest: the cost of each compressor for each corpus of the demonstration's disk, in folios
# of 4 KiB. Rows are
#
#   row COMPRESSOR CORPUS STORED RAW POOL-BYTES OUT-NS IN-NS
#
# usage: codecs.sh PAGES COMPRESSOR...
. ./lib.sh
. ./counted.sh

bad() { echo "codecs: $*"; exit 1; }

n=$1
shift
prove_unit codecs
set_param enabled Y || bad "zswap can't be enabled"
head -c 4096 /dev/vdc | tr -d '\000' > /run/index
swap_on brd
folios 4
for compressor; do
	set_param compressor "$compressor" 2> /dev/null || bad "the kernel has no compressor $compressor"
	while read -r corpus first pages; do
		[ "$corpus" != zeros ] || continue # never compressed
		[ "$pages" -ge "$n" ] || bad "$corpus has only $pages pages"
		start a 0
		with a map "$n" 4
		with a load "$first"
		with a out # so that all memory is allocated before
		with a in
		zeroes=$(vmstat swpout_zero)
		out=$(ask a out)
		zeroes=$(($(vmstat swpout_zero) - zeroes))
		bytes=$(debug pool_total_size)
		raw=$(debug stored_incompressible_pages)
		in=$(ask a in)
		[ "${out% *} ${in% *}" = "$n $n" ] || bad "$compressor, $corpus: $out out, $in in, not $n"
		[ "$(ask a check)" = "same $n" ] || bad "$compressor, $corpus: the data that came back differs"
		echo "row $compressor $corpus $((n - zeroes)) $raw $bytes ${out#* } ${in#* }"
		stop a
	done < /run/index
done
swap_off
