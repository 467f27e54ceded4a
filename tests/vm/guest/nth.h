/* SPDX-License-Identifier: GPL-2.0 */
/* Makes one of this thread's allocations fail: see nth.c for N. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int nth_file = -1, nth_mode_file = -1;

/* Opened beforehand: the allocations of opening must not fail. */
static bool nth_ready(void)
{
	if (nth_file < 0)
		nth_file = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth_mode_file < 0)
		nth_mode_file = open("/proc/thread-self/make-it-fail", O_RDWR);
	return nth_file >= 0 && nth_mode_file >= 0;
}

static void nth_put(int file, unsigned int value)
{
	char text[16];
	int len = sprintf(text, "%u\n", value);

	if (pwrite(file, text, len, 0) != len) {
		perror("fail-nth");
		exit(1);
	}
}

static void nth_begin(unsigned int n)
{
	nth_put(n ? nth_file : nth_mode_file, n ? n : 1);
}

/* Ends the injection. Returns how many allocations short of N there were. */
static unsigned int nth_end(unsigned int n)
{
	char text[16] = "";
	unsigned int left = 0;

	if (n && pread(nth_file, text, sizeof(text) - 1, 0) > 0)
		left = strtoul(text, NULL, 10);
	nth_put(n ? nth_file : nth_mode_file, 0);
	return left;
}
