# SPDX-License-Identifier: GPL-2.0
# boot: zswap.enabled=1 kunit.enable=0
# Shared memory and tmpfs, swapped.
. ./lib.sh
. ./users.sh
plan 15

# sums: of all files
sums() { (cd /run/tmpfs && find . -type f | sort | xargs md5sum) | md5sum; }

# swapped_files KIB: once at least so much of the device is in use
swapped_files()
{
	for _ in $(seq 600); do
		echo 64M swappiness=max > /cg/files/memory.reclaim
		[ "$(awk -v name="$device" '$1 == name { print $4 }' /proc/swaps)" -lt "$1" ] || { echo swapped; break; }
		usleep 50000 # reclaim goes by statistics that lag
	done 2> /dev/null # EAGAIN
}

shared_memory()
{
	for kib in 4 64; do
		shared_folios $kib
		scene "$where: shared memory, folios of $kib KiB" \
			"there 0, there 0, child 1, same" shared
	done
	shared_folios 4

	mkdir /cg/files /run/tmpfs
	mount -t tmpfs -o "huge=$([ $swap = virtio ] && echo always || echo never)" files /run/tmpfs
	(
		echo 0 > /cg/files/cgroup.procs
		dd if=/dev/urandom of=/run/tmpfs/random bs=64k count=40
		seq 200000 > /run/tmpfs/text
		dd if=/dev/zero of=/run/tmpfs/zero bs=64k count=10
		mkdir /run/tmpfs/more
		cp /bin/busybox /run/tmpfs/more
	) 2> /run/dd
	before=$(sums)
	got=$(swapped_files 4000)
	got="$got $(true_that [ "$(sums)" = "$before" ])"
	# Changed in part while the rest is swapped.
	got="$got $(swapped_files 3000)"
	seq 1000000 1020000 | dd of=/run/tmpfs/text bs=4k seek=20 conv=notrunc 2> /run/dd
	truncate -s 1000001 /run/tmpfs/random
	rm /run/tmpfs/zero
	mv /run/tmpfs/more/busybox /run/tmpfs
	before=$(sums)
	got="$got $(swapped_files 2000)"
	got="$got $(true_that [ "$(sums)" = "$before" ])"
	swapped_files 2000 > /run/swapped
	swap_off
	got="$got $(true_that [ "$(sums)" = "$before" ])"
	umount /run/tmpfs
	rmdir /run/tmpfs /cg/files
	point "$where: files, changed in part, and after swapoff" "$got" "swapped yes swapped swapped yes yes"
}
on_each_swap shared_memory
