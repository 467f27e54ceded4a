# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 zswap.max_pool_percent=50 resume=/dev/nvme0n1 resumewait panic=0
# only: devices
# Hibernation with 256 MiB of pages in zswap: the image is written and read back in one boot (test_resume), and read by the next
# boot of the machine.
. ./lib.sh
plan 16

# The disk outlives the machine's boots, until QEMU ends.
! head -c 6 /dev/sda | grep -q booted || { echo "Bail out! the image was not resumed"; exit 1; }
printf booted > /dev/sda

# As small an image as possible: memory is reclaimed until nothing more comes.
echo 0 > /sys/power/image_size
device=/dev/nvme0n1
mkswap $device > /run/mkswap && swapon $device
start a
with a map 65536 4
start b

by_shrinker=0 by_worker=0 seed=0
# hibernate MODE SHRINKER LIMIT: with the shrinker on or off, and the worker at the limit running or not
hibernate()
{
	set_param shrinker_enabled "$2"
	seed=$((seed + 1)) # a slot's old content must not pass
	with a fill first $seed
	with a out
	stored=$(debug stored_pages)
	back=$(vmstat zswpwb) written=$(vmstat pswpout)
	echo "$1" > /sys/power/disk
	dmesg -c > /run/dmesg
	if [ "$3" = limit ]; then
		set_param max_pool_percent 1
		with b map 16 4
		# The worker gives up soon while entries have their second chance, and is queued again.
		until [ "$(vmstat zswpwb)" -ge $((back + 1000)) ]; do
			with b fill text 1
			with b out
		done
	fi
	# From here to the image: this count comes back as it was then.
	before=$(vmstat zswpwb)
	echo disk > /sys/power/state
	status=$?
	meanwhile=$(($(vmstat zswpwb) - before))
	case "$2 $3" in
	Y*) by_shrinker=$((by_shrinker + meanwhile)) ;;
	*" limit") by_worker=$((by_worker + meanwhile)) ;;
	esac
	set_param max_pool_percent 50
	set_param shrinker_enabled N
	# Of a's own pages, none of which was freed.
	law() { awk '/^zswpout / { n += $2 } /^zswp(in|wb) / { n -= $2 } /^zswapped / { n -= $2 / 4096 } END { print n }' /cg/a/memory.stat; }
	echo "# $1, shrinker $2, $3: $(dmesg | sed -n 's/.*hibernation: \(Allocated .* seconds\).*/\1/p'); $stored pages in zswap, $meanwhile written back until the image was made, $(($(vmstat zswpwb) - back)) in all, $(($(vmstat pswpout) - written)) pages written"
	point "$1, shrinker $2, $3: it comes back" "$status $(true_that [ "$stored" -ge 60000 ]) $(soon 0 law)" "0 yes 0"
	point "$1, shrinker $2, $3: every byte" "$(ask a check)" "same 65536"
}
for mode in test_resume reboot; do
	hibernate $mode N "no limit"
	hibernate $mode Y "no limit"
	hibernate $mode N limit
done
point "until the image was made the shrinker wrote back, and the limit's worker" "$(true_that [ $by_shrinker -gt 0 ]) $(true_that [ $by_worker -gt 0 ])" "yes yes"
stop b

# An image of more than the swap has: 16 MiB.
with a fill first $((seed + 1))
swapoff $device
mkswap /dev/ram0 16384 > /run/mkswap && swapon /dev/ram0
cat /sys/block/ram0/dev > /sys/power/resume
with a out
stored=$(debug stored_pages)
echo test_resume > /sys/power/disk
why=$(put /sys/power/state disk)
point "too small a swap: an error" "$why $(true_that [ "$stored" -gt 3000 ])" "ENOSPC yes"
point "and nothing is lost" "$(ask a check)" "same 65536"
stop a
swapoff /dev/ram0
point "nothing is left" "$(debug stored_pages)" 0
