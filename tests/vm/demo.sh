# SPDX-License-Identifier: GPL-2.0
# The demonstration, in the guest: each corpus of the disk goes to anonymous memory in
# a memory cgroup, out through zswap and back, and every byte is compared.
# usage: demo.sh COMPRESSOR
. ./lib.sh

bad() { echo "FAILED: $*"; exit 1; }

# read_counts: the kernel's current statistics
read_counts()
{
	eval "$(awk '/^(zswp|swp)(in|out)(_zero)? / { print $1 "=" $2 }' /proc/vmstat)"
}

# all COMMAND: sends it to every worker of the row at once; the answers' sum of pages is $count, the
# longest of their times $time
all()
{
	for worker in $workers; do tell "$worker" "$1"; done
	count=0 time=0
	for worker in $workers; do
		# shellcheck disable=SC2046
		set -- $(hear "$worker")
		count=$((count + $1))
		[ "$time" -gt "$2" ] || time=$2
	done
}

# row SWAP KIB CORPUS...: one process for each corpus, all at once
row()
{
	where=$1 kib=$2
	shift 2
	workers=$* pages=0 cpu=0 verified=0
	for worker in $workers; do
		eval "first=\$first_$worker n=\$pages_$worker"
		start "$worker" $cpu
		with "$worker" map "$n" "$kib"
		with "$worker" load "$first"
		pages=$((pages + n)) cpu=$((cpu + 1))
	done

	[ "$kib" = "$page" ] || whole=$(folios_stored "$kib") split=$(folios_split "$kib")
	read_counts
	stored=$zswpout zero=$swpout_zero
	all out
	left=$count out_ns=$time
	raw=$(debug stored_incompressible_pages) bytes=$(debug pool_total_size)
	read_counts
	stored=$((zswpout - stored)) zero=$((swpout_zero - zero))
	loaded=$zswpin zero_back=$swpin_zero

	all in
	back=$count in_ns=$time
	read_counts
	loaded=$((zswpin - loaded)) zero_back=$((swpin_zero - zero_back))

	for worker in $workers; do
		answer=$(ask "$worker" check)
		eval "n=\$pages_$worker"
		[ "$answer" = "same $n" ] || bad "$worker, $where, $kib KiB folios: $answer"
		verified=$((verified + n))
		stop "$worker"
	done

	awk -v name="$(echo "$*" | tr ' ' '+')" 'BEGIN { printf "%-15s %-6s %5d %6d %6d %6d %5d %10d %6s %7.1f %7.1f %8d\n",
		name, "'"$where"'", '"$kib, $pages, $stored, $zero, $raw, $bytes"',
		'"$bytes"' ? sprintf("%.2f", '"$stored * $page * 1024 / $bytes"') : "-",
		'"$out_ns / $pages / 1000, $in_ns / $pages / 1000, $verified"' }'
	[ $left = $pages ] || bad "only $left of $pages pages left memory"
	[ $((stored + zero)) = $left ] || bad "$left pages left, but zswpout $stored + swpout_zero $zero"
	# Some zero pages are in folios that were stored.
	[ "$kib" = "$page" ] || {
		whole=$((($(folios_stored "$kib") - whole) * kib / page))
		[ "$(folios_split "$kib")" = "$split" ] && [ $whole -ge $((left - zero)) ] && [ $whole -le $left ]
	} || bad "folios of $kib KiB were split on their way to zswap"
	[ $back = $left ] || bad "$left pages left, $back came back"
	[ $((loaded + zero_back)) = $back ] || bad "$back pages came back, but zswpin $loaded + swpin_zero $zero_back"
	total=$((total + verified))
}

set_param enabled Y || bad "zswap can't be enabled"
set_param compressor "$1" 2> /dev/null || bad "the kernel has no compressor $1"
dmesg | grep -E ': Rust implementation|zswap: loaded'

head -c 4096 /dev/vdc | tr -d '\000' > /run/index
while read -r name first pages; do
	eval "first_$name=$first pages_$name=$pages"
done < /run/index

cat <<END

Compressor $1. Pages of $page KiB, swapped as folios of so many KiB; zero pages need no
store; raw pages don't compress; compressed is the RAM the pool takes, in bytes; out
and in are microseconds a page in this guest.

corpus          swap   folio  pages stored   zero   raw compressed  ratio     out      in verified
END
total=0
# With larger pages, folios of several pages aren't swapped out whole (THP_SWAP).
large=
[ "$page" != 4 ] || large="brd-64 brd-2048"
for swap_and_folio in brd-$page $large virtio-$page file-$page; do
	set -- "${swap_and_folio%-*}" "${swap_and_folio#*-}"
	swap_on "$1" || bad "no swap on $1"
	folios "$2"
	for corpus in $(cut -d' ' -f1 /run/index); do
		row "$1" "$2" "$corpus"
	done
	swap_off
done
swap_on brd
folios "$page"
row brd "$page" source heap
row brd "$page" vmlinux library
swap_off
left=$(debug stored_pages)
[ "$left" = 0 ] || bad "$left pages are still stored after everything is gone"
echo "$total pages were swapped out and in, and no byte differs"
