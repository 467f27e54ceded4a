// SPDX-License-Identifier: GPL-2.0
/* put FILE STRING: a single write(2), which a shell can't do: prints ok or the errno's name. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd;
	ssize_t n, size;

	if (argc != 3)
		return 2;
	fd = open(argv[1], O_WRONLY);
	size = strlen(argv[2]);
	n = fd < 0 ? -1 : write(fd, argv[2], size);
	if (n < 0)
		puts(strerrorname_np(errno));
	else if (n != size)
		puts("short");
	else
		puts("ok");
	return n != size;
}
