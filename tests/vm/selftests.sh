# SPDX-License-Identifier: GPL-2.0
# Runs the kernel's own tests, which come in an archive on the third disk, in a guest of
# scripts/selftests.sh. Each line is headed by the program's name.
# usage: selftests.sh RUNS PROGRAM...
. ./lib.sh

runs=$1
shift
mkdir /run/bin
tar -x -C /run/bin -f /dev/vdc
swap_on virtio
set_param enabled Y
# Some write to files, which must have page cache of their own.
mount -t ext4 /dev/vdb /mnt
cd /mnt || exit
for _ in $(seq "$runs"); do
	for program in "$@"; do
		"/run/bin/$program" 2>&1 | sed "s/^/$program /"
	done
done
cd /
swap_off
