// SPDX-License-Identifier: GPL-2.0
/*
 * hold PAGES [CGROUPS]: swaps out PAGES pages, which the caller has seen to that zswap takes, and holds them
 * until it is killed. With CGROUPS, as many in each of so many cgroups, which it makes in /cg. Prints "held"
 * once they are out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096UL
#define STEP 512UL /* pages in memory at a time */

static void die(const char *what)
{
	printf("hold: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Into a new cgroup. */
static void move(const char *parent, unsigned long n)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/cg/%s-%lu", parent, n);
	if (mkdir(path, 0755))
		die("mkdir");
	strcat(path, "/cgroup.procs");
	file = open(path, O_WRONLY);
	if (file < 0 || write(file, "0", 1) != 1)
		die("cgroup.procs");
	close(file);
}

/* Each page has a word of its own, and compresses to little. */
static void swap_out(unsigned long pages)
{
	unsigned char *mem = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap");
	for (unsigned long i = 0; i < pages; i += STEP) {
		unsigned long end = i + STEP < pages ? i + STEP : pages;

		for (unsigned long k = i; k < end; k++)
			*(unsigned long *)(mem + k * PAGE) = k + 1;
		if (madvise(mem + i * PAGE, (end - i) * PAGE, MADV_PAGEOUT))
			die("MADV_PAGEOUT");
	}
}

int main(int argc, char **argv)
{
	unsigned long pages = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long cgroups = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	char name[24];

	if (!pages) {
		printf("hold: how many pages?\n");
		return 1;
	}
	snprintf(name, sizeof(name), "hold%d", getpid());
	if (!cgroups)
		swap_out(pages);
	for (unsigned long i = 0; i < cgroups; i++) {
		move(name, i);
		swap_out(pages);
	}
	printf("held\n");
	fflush(stdout);
	for (;;)
		pause();
}
