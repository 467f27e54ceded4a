# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# Every compressor on every kind of swap with every folio size.
. ./lib.sh
plan 63

pages=1024 # 4 MiB
for compressor in lz4 lz4-rust lzo lzo-rle zstd deflate 842; do
	set_param compressor $compressor
	for swap in brd virtio file; do
		swap_on $swap
		for kib in 4 64 2048; do
			folios $kib
			start a 0
			with a map $pages $kib
			with a fill last $kib
			[ $kib = 4 ] || whole=$(folios_stored $kib)
			out=$(vmstat zswpout) in=$(vmstat zswpin)
			got="left $(ask a out | cut -d' ' -f1)"
			got="$got stored $(($(vmstat zswpout) - out))"
			want="left $pages stored $pages"
			# A swap file takes no large folios: the kernel splits them.
			if [ $kib != 4 ] && [ $swap != file ]; then
				got="$got in $(($(folios_stored $kib) - whole)) folios"
				want="$want in $((pages * 4 / kib)) folios"
			fi
			got="$got back $(ask a in | cut -d' ' -f1) loaded $(($(vmstat zswpin) - in))"
			got="$got $(ask a check)"
			stop a
			point "$compressor on $swap, folios of $kib KiB" "$got left $(debug stored_pages)" \
				"$want back $pages loaded $pages same $pages left 0"
		done
		swap_off
	done
done
