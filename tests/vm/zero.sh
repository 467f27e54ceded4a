# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# A zeroed page is swapped out without telling zswap. If an entry with its older contents still
# exists, writeback must not bring these back. Stock C fails here: see docs/upstream.
. ./lib.sh
. ./fault-injection.sh
. ./writeback-paths.sh
plan 18

# Only a few pages of the process remain in memory.
reclaim()
{
	for _ in $(seq 50); do
		echo 1M > "/cg/$1/memory.reclaim" || break
	done 2> /dev/null
}

# bring_back SWAP KIB WAY: zeroes pages in memory that have entries with older contents.
bring_back()
{
	# A fault frees the slots of a synchronous device, unless the folio is large and part of it
	# stays swapped out.
	[ "$1" = brd ] && apart=1 || apart=0
	swap_on "$1"
	folios "$2"
	start a 0
	pages=$(($2 == 4 ? 512 : 1024))
	with a map $pages "$2"
	with a fill text 1
	held=$(hold a "$2" $apart)
	with a wipe "$2" $apart
	# MADV_PAGEOUT would split a folio that is partly swapped out.
	[ $apart = 0 ] && with a out || reclaim a
	folios 4
	start_pusher a
	"by_$3"
	point "$1, $2 KiB, by $3" \
		"held $held, emptied $(true_that [ "$(debug stored_pages)" -le 64 ]), wrong $(ask a wrong)" \
		"held $pages, emptied yes, wrong 0"
	stop b
	stop a
	swap_off
}

for path in cgroup limit shrinker; do
	for kib in 4 64 2048; do
		bring_back virtio $kib $path
	done
	bring_back file 4 $path
	for kib in 64 2048; do
		bring_back brd $kib $path
	done
done
