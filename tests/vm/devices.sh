# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1
# only: devices
# Swap on what people have: NVMe, SATA, zram with and without a limit, dm-crypt, files of btrfs and XFS; and what happens to
# these under load.
. ./lib.sh
. ./writeback-paths.sh
plan 36

[ -e /dev/nvme0n1 ] || { echo "Bail out! no NVMe: this is for scripts/configs/devices.config"; exit 1; }
point "five levels of page tables" "$(grep -c '^flags.* la57 ' /proc/cpuinfo)" 2
set_param compressor lz4
sectors=$(cat /sys/block/vda/size)
dm() { dmsetup --noudevsync --noudevrules "$@"; }
crypt="0 $sectors crypt aes-xts-plain64 $(printf '%064d' 7) 0 /dev/vda 0"

# prepare WHAT: sets device
prepare()
{
	case $1 in
	NVMe) device=/dev/nvme0n1 ;;
	SATA) device=/dev/sda ;;
	zram*)
		device=/dev/zram0
		echo 256M > /sys/block/zram0/disksize
		[ "$1" = zram ] || echo 1M > /sys/block/zram0/mem_limit
		;;
	dm-crypt)
		device=/dev/dm-0
		dm create crypt --table "$crypt"
		;;
	btrfs | XFS)
		device=/mnt/swap
		if [ "$1" = XFS ]; then mkfs.xfs -q -f /dev/vdb; else mkfs.btrfs -q -f /dev/vdb; fi
		if [ "$1" = XFS ]; then mount /dev/vdb /mnt; else mount -o nodatacow /dev/vdb /mnt; fi
		touch $device
		chmod 600 $device
		dd if=/dev/zero of=$device bs=1M count=128 2> /run/dd
		;;
	esac
	mkswap $device > /run/mkswap && swapon $device
}

# finish WHAT
finish()
{
	swapoff $device
	case $1 in
	zram*) echo 1 > /sys/block/zram0/reset ;;
	dm-crypt) dm remove crypt ;;
	btrfs | XFS) umount /mnt ;;
	esac
}

# Of 1024 pages 128 are freed, at most 896 are written back, and all others loaded.
for what in NVMe SATA zram "zram with a limit" dm-crypt btrfs XFS; do
	prepare "$what"
	for kib in 4 64; do
		folios $kib
		out=$(vmstat zswpout) in=$(vmstat zswpin) back=$(vmstat zswpwb)
		start a 0
		with a map 1024 $kib
		with a fill last 1
		with a out
		stored=$(debug stored_pages)
		with a lose 8
		folios 4
		start_pusher a
		by_limit
		back=$(($(vmstat zswpwb) - back))
		got="stored $stored left $(debug stored_pages) written back $(true_that [ $back -ge 880 ])"
		stop b
		drop a
		with a in
		got="$got, stored - loaded - written back $(($(vmstat zswpout) - out - ($(vmstat zswpin) - in) - back))"
		point "$what, folios of $kib KiB: the laws" "$got" "stored 1024 left 0 written back yes, stored - loaded - written back 128"
		point "$what, folios of $kib KiB: every byte" "$(ask a wrong)" 128
		stop a
	done
	case $what in
	zram*)
		failed=$(awk '{ print $2 }' /sys/block/zram0/io_stat)
		point "$what: whether it refused pages" "$(true_that [ "$failed" -gt 0 ])" "$(true_that [ "$what" != zram ])"
		;;
	esac
	finish "$what"
done

# --- Under load --------------------------------------------------------------
folios 4
prepare dm-crypt
start a
echo 1M > /cg/a/memory.zswap.max
with a map 2048 4
with a fill last 2
tell a cycle 0
out=$(vmstat pswpout)
held=
for _ in 1 2 3; do
	sleep 1
	dm suspend crypt
	held="$held$(cat /sys/block/dm-0/dm/suspended) "
	sleep 2
	dm resume crypt
done
# Three of four pages go to the device.
written() { true_that [ $(($(vmstat pswpout) - out)) -ge 1000 ]; }
point "dm-crypt is suspended for two seconds, thrice" "$held$(soon yes written), $(enough a), $(ask a check)" "1 1 1 yes, done, same 2048"

# replace TABLE: puts it in place of the device's
replace() { dm suspend crypt; dm reload crypt --table "$1"; dm resume crypt; }
echo 0 > /proc/sys/vm/page-cluster
with a fill text 3
with a out
drop a
kept=$(debug stored_pages)
replace "0 $sectors error"
point "its reads fail: zswap's pages come back" "$(true_that [ "$kept" -gt 0 ]), $(ask a readers)" "yes, same $kept, not 0, killed $((2048 - kept))"
replace "$crypt"
drop a # the folios that could not be read
point "it reads again: the others do" "$(ask a check)" "same 2048"
echo 3 > /proc/sys/vm/page-cluster
stop a
finish dm-crypt

# Two of one priority, of which one goes and comes.
mkswap /dev/ram0 > /run/mkswap
dev swapon /dev/ram0 5
start a
echo 4M > /cg/a/memory.zswap.max
with a map 4096 4
with a fill last 4
tell a cycle 0
# Whether it has 1 MiB.
used() { true_that [ "$(awk '$1 == "/dev/nvme0n1" { print $4 }' /proc/swaps)" -ge 1024 ]; }
had=
for _ in 1 2 3 4; do
	mkswap /dev/nvme0n1 > /run/mkswap
	dev swapon /dev/nvme0n1 5
	had="$had$(soon yes used) "
	swapoff /dev/nvme0n1
	had="$had$? "
done
point "one of two devices, with pages, goes four times" "$had$(enough a), $(ask a check)" "yes 0 yes 0 yes 0 yes 0 done, same 4096"
stop a
swapoff /dev/ram0
point "nothing is left, and no device is on" "$(debug stored_pages) $(grep -c -v ^Filename /proc/swaps)" "0 0"
