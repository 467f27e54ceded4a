# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=0 transparent_hugepage=never
# A slot that a swap device's header marks as bad must not be used: readahead skips it. Stock C adds
# a folio there, which outlives the device: see docs/upstream. So this has its own boot.
. ./lib.sh
plan 5

# le32 NUMBER: in the header's byte order
# shellcheck disable=SC2059
le32() { printf "\\$(printf %03o $(($1 & 255)))\\$(printf %03o $(($1 >> 8 & 255)))\\000\\000"; }

# bad SLOT...: writes them into the header of $device
bad()
{
	le32 $# | dd of=$device bs=1 seek=1032 conv=notrunc
	for slot; do le32 "$slot"; done | dd of=$device bs=1 seek=1536 conv=notrunc
}

swapcached() { awk '/^SwapCached/ { print $2 / 4 }' /proc/meminfo; }

# Two clusters, with a bad slot in the middle of every eighth readahead window.
device=/dev/vda
mkswap $device 4096 > /run/mkswap
slots=$(seq 36 64 1023)
# shellcheck disable=SC2086
bad $slots 2> /run/dd
swapon $device
point "a device with bad slots" "$(awk 'NR > 1 { print $3 }' /proc/swaps)" $((4 * (1023 - 16)))

# A file on tmpfs: from a disk, its pages are read by physical readahead.
echo 3 > /proc/sys/vm/page-cluster
mkdir /cg/a
sh -c 'echo $$ > /cg/a/cgroup.procs; yes not zero | head -c 3686400 > /run/file'
for _ in $(seq 20); do
	echo 1M > /cg/a/memory.reclaim || break
done 2> /dev/null
out=$(vmstat pswpout) ahead=$(vmstat swap_ra) zero=$(vmstat swpin_zero)
got=$(md5sum < /run/file)
point "a file of 900 pages reads back, by readahead" \
	"swapped $(true_that [ "$out" -ge 850 ]), $(true_that [ $(($(vmstat swap_ra) - ahead)) -ge 600 ]), $got" \
	"swapped yes, yes, $(yes not zero | head -c 3686400 | md5sum)"
point "no page was taken for one of zeroes" $(($(vmstat swpin_zero) - zero)) 0
rm /run/file
point "nothing is in the swap cache" "$(soon 0 swapcached)" 0
swapoff $device
point "nothing is, without a device" "$(soon 0 swapcached)" 0
rmdir /cg/a
