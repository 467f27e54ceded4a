# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# only: rust plain-rust
# Zero marks of a large folio that isn't stored, that is written to and split, or that can't be written back.
# (C marks a folio only if all its pages are zeroes.)
. ./lib.sh
. ./fault-injection.sh
plan 15

events="swpout_zero zswpout pswpout swpin_zero zswpin pswpin"
note() { for event in $events; do eval "$event=$(vmstat $event)"; done; }
since() { for event in $events; do echo "$(($(vmstat "$event") - event))"; done | xargs; }

# --- Refused once its slots are marked: all of it goes to the device --------------
any_may_fail

# one_fails SWAP: one folio, of 8 pages of zeroes and 8 others, is swapped out again and again, each time
# with another allocation failing. Counts the outcomes.
one_fails()
{
	stored=0 marked=0 before=0 other='' n=0
	until [ $n = 60 ]; do
		n=$((n + 1))
		with a map 16 64
		with a fill holes $n
		note
		got=$(ask a fail out $n)
		[ "$1" = brd ] || drop a
		# On the device, the pages of zeroes are read by their marks if they have these.
		got="$got, $(ask a check), $(since)"
		with a unmap
		case $got in
		*" 16, same 16, 8 8 0 8 8 0") stored=$((stored + 1)) ;;
		"hit 16, same 16, 0 0 16 8 0 8") marked=$((marked + 1)) ;;
		"hit 16, same 16, 0 0 16 0 0 16") before=$((before + 1)) ;;
		# Read from the swap cache: drop() found no page there, as memory.stat lags. Says nothing of the marks.
		"hit 16, same 16, 0 0 16 0 0 0") ;;
		"hit 0, same 16, 0 0 0 0 0 0") ;; # it got no slots, or wasn't unmapped
		*) other="$other $n: $got;" ;;
		esac
		case $got in missed*) break ;; esac
	done
	echo "# $1: $n tries: stored $stored, refused before it was marked $before, after $marked" >&2
	echo "other:${other:- none}, $(true_that [ $stored -gt 0 ]) $(true_that [ $marked -gt 2 ]), $(debug stored_pages)"
}
for swap in brd virtio; do
	swap_on $swap
	folios 64
	start a 0
	point "$swap: refused after its slots were marked, written to the device, read back" \
		"$(one_fails $swap)" "other: none, yes yes, 0"
	stop a
	swap_off
done

# --- Without writeback ---------------------------------------------------------
for swap in brd virtio; do
	for kib in 64 2048; do
		swap_on $swap
		folios $kib
		start a 0
		echo 0 > /cg/a/memory.zswap.writeback
		with a map 1024 $kib
		with a fill holes 1
		note
		with a out
		point "$swap, $kib KiB, no writeback: zeroes are marked, the other pages stored" \
			"$(ask a swapped) $(debug stored_pages), $(since), $(ask a check)" "1024 256, 768 256 0 0 0 0, same 1024"
		with a unmap

		# A page of 16 doesn't compress: no folio may go anywhere.
		with a map 1024 $kib
		with a fill mixed 2
		note
		with a out
		got="$(since) $(debug stored_pages), $(ask a check)"
		# All pages of zeroes are written to, and some of the others.
		with a poke 2
		sum=$(ask a sum)
		with a out
		got="$got, $(since) $(debug stored_pages), $(ask a sum)"
		echo 1 > /cg/a/memory.zswap.writeback
		with a out
		point "$swap, $kib KiB, no writeback: marked, refused, written to, refused, then stored" \
			"$got, $(ask a swapped) $(debug stored_pages), $(ask a sum)" \
			"0 0 0 0 0 0 0, same 1024, 0 0 0 0 0 0 0, $sum, 1024 1024, $sum"
		stop a
		swap_off
	done
done

# --- In the swap cache, marked: written to, then split ------------------------------
for kib in 64 2048; do
	swap_on virtio
	folios $kib
	start a 0
	with a map 1024 $kib
	with a fill mixed 3
	held=$(hold a $kib)
	cached=$(soon 4194304 memcg_stat a swapcached)
	# Of the pages of zeroes, every second is written to; and some others.
	with a poke 4
	sum=$(ask a sum)
	old=$(folios_split $kib)
	with a split
	split=$(($(folios_split $kib) - old))
	point "$kib KiB: folios with marks are written to in the swap cache, and split" \
		"$held $cached $(true_that [ $split -gt 0 ]), $(ask a sum)" \
		"1024 4194304 yes, $sum"
	# A quarter is still zero: the split maps the zero page for such a page, or swapping it out marks it.
	with a out
	point "$kib KiB: and all is there when they are swapped out again" \
		"$(debug stored_pages), $(ask a sum)" "768, $sum"
	stop a
	swap_off
done
point "nothing is left" "$(debug stored_pages)" 0
