# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# Reading ahead, by address and by place on the device: how far, and how much of it was wanted.
# (parity.sh compares it with what C does.)
. ./lib.sh
. ./users.sh
plan 11

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

swap_on virtio
for by in true false; do
	echo $by > $BY_ADDRESS
	[ $by = true ] && how="by address" || how="by place"
	echo 3 > $CLUSTER
	point "$how: most is read ahead, and wanted, of pages read in order" "$(judged ahead sequential 400 95)" yes
	point "$how: backward, too" "$(judged ahead backward 300 90)" yes
	point "$how: next to nothing of pages read at random" "$(judged ahead random -200 0)" yes
	echo 0 > $CLUSTER
	point "$how: nothing where page-cluster is 0" "$(judged ahead sequential -0.1 0)" yes
done
echo 3 > $CLUSTER
point "shared memory: most, in order" "$(judged ahead-shared sequential 400 95)" yes
echo true > $BY_ADDRESS
point "shared memory: by place in any case" "$(judged ahead-shared sequential 400 95)" yes
swap_off
swap_on brd
point "nothing from a device as fast as memory" "$(judged ahead sequential -0.1 0)" yes
swap_off
