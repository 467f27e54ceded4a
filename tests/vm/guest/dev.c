// SPDX-License-Identifier: GPL-2.0
/*
 * dev: what busybox can't do with block devices.
 *
 *   dev add DISK NUMBER START KIB      adds a partition, which the kernel forgets at its next boot:
 *                                      nothing is written to the disk; START is in KiB, too
 *   dev resize DISK NUMBER START KIB   gives it another size, even if it is in use
 *   dev swapon DEVICE PRIORITY         turns it on, with that priority
 */
#include <fcntl.h>
#include <linux/blkpg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/swap.h>

static int partition(int op, char **argv)
{
	struct blkpg_partition part = {
		.pno = atoi(argv[1]),
		.start = atoll(argv[2]) << 10,
		.length = atoll(argv[3]) << 10,
	};
	struct blkpg_ioctl_arg arg = { .op = op, .datalen = sizeof(part), .data = &part };
	int disk = open(argv[0], O_RDONLY);

	return disk < 0 ? -1 : ioctl(disk, BLKPG, &arg);
}

int main(int argc, char **argv)
{
	int ret;

	if (argc == 6 && !strcmp(argv[1], "add"))
		ret = partition(BLKPG_ADD_PARTITION, argv + 2);
	else if (argc == 6 && !strcmp(argv[1], "resize"))
		ret = partition(BLKPG_RESIZE_PARTITION, argv + 2);
	else if (argc == 4 && !strcmp(argv[1], "swapon"))
		ret = swapon(argv[2], SWAP_FLAG_PREFER | atoi(argv[3]));
	else
		return 2;
	if (ret)
		perror(argv[2]);
	return !!ret;
}
