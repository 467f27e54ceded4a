/* SPDX-License-Identifier: GPL-2.0 */
/* Blocks of 64 KiB of a process's memory, which a swap-in may read as one folio. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stdio.h>
#include <stdlib.h>

#include "pages.h"

#define BLOCK (64UL << 10)
#define NR (BLOCK / PAGE)

#define PRESENT (1ULL << 63) /* in /proc/PID/pagemap */
#define PFN ((1ULL << 55) - 1)

static inline void check(bool good, const char *what)
{
	if (good)
		return;
	perror(what);
	exit(1);
}

/* A page's entry in the page table of this process, which has to open it by itself. */
static inline uint64_t entry(const unsigned char *at)
{
	static int pagemap = -1;
	static pid_t owner;
	uint64_t found;

	if (owner != getpid()) {
		owner = getpid();
		pagemap = open("/proc/self/pagemap", O_RDONLY);
	}
	check(read_pagemap(pagemap, at, &found, 1), "pagemap");
	return found;
}

/* Has the memory of a cgroup reclaimed. */
static inline void reclaim(const char *cgroup)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/memory.reclaim", cgroup);
	for (int tries = 0; tries < 20; tries++) {
		int file = open(path, O_WRONLY);

		check(file >= 0, path);
		/* After some tries nothing more can be reclaimed. */
		if (write(file, "16M", 3) < 0 && tries > 10)
			tries = 20;
		close(file);
	}
}

#endif
