# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# Reading ahead, by address and by place on the device: how far, and how much of it was wanted.
# (parity.sh compares it with what C does.)
. ./lib.sh
. ./users.sh
plan 18

CLUSTER=/proc/sys/vm/page-cluster
BY_ADDRESS=/sys/kernel/mm/swap/vma_ra_enabled

# judged SCENE PATTERN AHEAD HIT: whether of 512 pages at least so many were read ahead, and
# of these at least so many of 100 wanted; or what was, if not. With -AHEAD: no more than so many.
judged()
{
	got=$(users "$1" "$2")
	echo "$got" | awk -v ahead="$3" -v hits="$4" '{
		all = $0; gsub(",", "")
		fits = (ahead < 0 && $3 <= -ahead) || (ahead >= 0 && $3 >= ahead)
		print ($NF == "same" && fits && $5 * 100 >= $3 * hits) ? "yes" : all }'
}

# readahead_by ROTATES BY_ADDRESS: by address only if no swap device turns, as virtio-blk says that it does
readahead_by()
{
	echo "$1" > /sys/block/vda/queue/rotational
	echo "$2" > $BY_ADDRESS
	swap_on virtio
}

for how in "by address" "by place" "by place on a disk that turns"; do
	case $how in
	"by address") readahead_by 0 true ;;
	"by place") readahead_by 0 false ;;
	*) readahead_by 1 true ;;
	esac
	echo 3 > $CLUSTER
	point "$how: most is read ahead, and wanted, of pages read in order" "$(judged ahead sequential 400 95)" yes
	point "$how: backward, too" "$(judged ahead backward 300 90)" yes
	point "$how: next to nothing of pages read at random" "$(judged ahead random -200 0)" yes
	if [ "$how" = "by address" ]; then
		point "$how: most, in order, of what is far apart on the device" \
			"$(judged ahead-scattered sequential 400 95)" yes
	else
		point "$how: next to nothing of what is far apart on the device" \
			"$(judged ahead-scattered sequential -50 0)" yes
	fi
	echo 0 > $CLUSTER
	point "$how: nothing where page-cluster is 0" "$(judged ahead sequential -0.1 0)" yes
	swap_off
done
echo 3 > $CLUSTER
for how in false true; do
	readahead_by 0 $how
	point "shared memory, by_address $how: most, by place in any case" "$(judged ahead-shared sequential 400 95)" yes
	swap_off
done
echo 1 > /sys/block/vda/queue/rotational
swap_on brd
point "nothing from a device as fast as memory" "$(judged ahead sequential -0.1 0)" yes
swap_off
