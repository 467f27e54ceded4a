# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# VMA and physical readahead: how many pages it reads, and how many of those are hits. (parity.sh
# compares it with C.)
. ./lib.sh
. ./users.sh
plan 18

CLUSTER=/proc/sys/vm/page-cluster
BY_ADDRESS=/sys/kernel/mm/swap/vma_ra_enabled

# judged SCENE PATTERN AHEAD HIT: whether readahead read at least AHEAD of 512 pages, with hits for
# at least HIT % of these; if not, the counts. With -AHEAD: at most that many.
judged()
{
	got=$(users "$1" "$2")
	echo "$got" | awk -v ahead="$3" -v hits="$4" '{
		all = $0; gsub(",", "")
		fits = (ahead < 0 && $3 <= -ahead) || (ahead >= 0 && $3 >= ahead)
		print ($NF == "same" && fits && $5 * 100 >= $3 * hits) ? "yes" : all }'
}

# readahead_by ROTATES BY_ADDRESS: VMA readahead requires that no swap device is rotating, and
# virtio-blk claims to be
readahead_by()
{
	echo "$1" > /sys/block/vda/queue/rotational
	echo "$2" > $BY_ADDRESS
	swap_on virtio
}

for how in "VMA readahead" "physical readahead" "physical readahead, rotating disk"; do
	case $how in
	"VMA readahead") readahead_by 0 true ;;
	"physical readahead") readahead_by 0 false ;;
	*) readahead_by 1 true ;;
	esac
	echo 3 > $CLUSTER
	point "$how: sequential reads are mostly hits" "$(judged ahead sequential 400 95)" yes
	point "$how: backward reads, too" "$(judged ahead backward 300 90)" yes
	point "$how: random reads cause next to none" "$(judged ahead random -200 0)" yes
	if [ "$how" = "VMA readahead" ]; then
		point "$how: pages far apart on the device are mostly hits" \
			"$(judged ahead-scattered sequential 400 95)" yes
	else
		point "$how: pages far apart on the device cause next to none" \
			"$(judged ahead-scattered sequential -50 0)" yes
	fi
	echo 0 > $CLUSTER
	point "$how: none with page-cluster 0" "$(judged ahead sequential -0.1 0)" yes
	swap_off
done
echo 3 > $CLUSTER
for how in false true; do
	readahead_by 0 $how
	point "shared memory, vma_ra_enabled $how: physical readahead, mostly hits" "$(judged ahead-shared sequential 400 95)" yes
	swap_off
done
echo 1 > /sys/block/vda/queue/rotational
swap_on brd
point "no readahead from a device as fast as memory" "$(judged ahead sequential -0.1 0)" yes
swap_off
