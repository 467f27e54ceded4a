// SPDX-License-Identifier: GPL-2.0
/*
 * One system call, with one of its allocations failing:
 *
 *   nth N put FILE STRING      one write(2)
 *   nth N on|off DEVICE        swapon(2), swapoff(2)
 *
 * N selects one of the allocations that failslab and fail_page_alloc watch; 0 uses their own
 * settings, by make-it-fail. Prints "hit", or "missed" if there were fewer than N allocations, and
 * then "ok" or the errno's name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>
#include <unistd.h>

#include "nth.h"

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	const char *what = argc > 2 ? argv[2] : "";
	int fd = -1, ret, error;

	if (!strcmp(what, "put") && argc == 5) {
		fd = open(argv[3], O_WRONLY);
		if (fd < 0) {
			perror(argv[3]);
			return 1;
		}
	} else if ((strcmp(what, "on") && strcmp(what, "off")) || argc != 4) {
		return 2;
	}
	if (!nth_ready()) {
		perror("fail-nth");
		return 1;
	}

	nth_begin(n);
	if (fd >= 0)
		ret = write(fd, argv[4], strlen(argv[4]));
	else if (!strcmp(what, "on"))
		ret = swapon(argv[3], 0);
	else
		ret = swapoff(argv[3]);
	error = errno;
	printf("%s", nth_end(n) ? "missed " : "hit ");
	puts(ret < 0 ? strerrorname_np(error) : "ok");
	return 0;
}
