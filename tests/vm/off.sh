# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0
# zswap is enabled for the first time when memory is swapped out already.
. ./lib.sh
plan 8

point "off at boot" "$(cat $PARAM/enabled)" N
point "nothing is set up" "$(true_that [ -e $DEBUG ])" no
stored=$(vmstat zswpout)
swap_on virtio
for name in a b; do
	[ $name = a ] && kib=4 || kib=64
	folios $kib
	start $name 0
	with $name map 2048 $kib
	with $name fill last 1
	with $name out
done
point "swap works without it" "$(ask a swapped) $(ask b swapped) $(($(vmstat zswpout) - stored))" "2048 2048 0"
drop a
drop b
point "pages read back" "$(ask a check) $(ask b check)" "same 2048 same 2048"
with a fill last 2
with b fill last 3
with a out
with b out
drop a
drop b
set_param enabled Y
point "setting it up is logged" "$(dmesg | grep -c "zswap: loaded using pool")" 1
point "pages from before read back" "$(ask a check) $(ask b check)" "same 2048 same 2048"
with a fill last 4
with b fill last 5
with a out
with b out
point "pages are stored on the device of before" "$(debug stored_pages)" 4096
point "and read back" "$(ask a check) $(ask b check)" "same 2048 same 2048"
stop a
stop b
swap_off
