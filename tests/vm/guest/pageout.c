// SPDX-License-Identifier: GPL-2.0
/*
 * pageout MIB ROUNDS [settle]: maps MIB of memory, fills it, pages it out by MADV_PAGEOUT and unmaps
 * it at once, ROUNDS times. With "settle" it unmaps only once nothing is under writeback. See
 * docs/upstream/pageout-unmap.md. Prints, once nothing is under writeback any more:
 *
 *   cached N       pages in the swap cache (/proc/kpageflags)
 *   idle N         of these, those that no process maps and that are clean, not under writeback,
 *                  not locked and on an LRU list
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "blocks.h"

/* In /proc/kpageflags. */
#define LOCKED (1ULL << 0)
#define DIRTY (1ULL << 4)
#define LRU (1ULL << 5)
#define WRITEBACK (1ULL << 8)
#define MMAP (1ULL << 11)
#define SWAPCACHE (1ULL << 13)
#define NOT_IDLE (LOCKED | DIRTY | WRITEBACK | MMAP)

static unsigned long vmstat(const char *want)
{
	FILE *file = fopen("/proc/vmstat", "r");
	unsigned long value, found = 0;
	char name[64];

	check(file, "vmstat");
	while (fscanf(file, "%63s %lu", name, &value) == 2)
		if (!strcmp(name, want))
			found = value;
	fclose(file);
	return found;
}

/* Waits until no page is under writeback, up to a minute. */
static void settle(void)
{
	for (int tries = 0; tries < 6000; tries++) {
		refresh_vmstat();
		if (!vmstat("nr_writeback"))
			return;
		usleep(10000);
	}
	errno = ETIME;
	check(false, "writeback");
}

static void one_round(size_t size, uint64_t *seed, bool settles)
{
	unsigned char *area = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *mem;

	check(area != MAP_FAILED, "mmap");
	mem = (void *)(((uintptr_t)area + HUGE - 1) & ~(HUGE - 1));
	madvise(mem, size, MADV_HUGEPAGE);
	for (size_t i = 0; i < size; i += 512)
		*(uint64_t *)(mem + i) = next(seed);
	check(!madvise(mem, size, MADV_PAGEOUT), "MADV_PAGEOUT");
	if (settles)
		settle();
	check(!munmap(area, size + HUGE), "munmap");
}

static void census(void)
{
	static uint64_t flags[4096];
	int file = open("/proc/kpageflags", O_RDONLY);
	unsigned long cached = 0, idle = 0;
	ssize_t got;

	check(file >= 0, "kpageflags");
	while ((got = read(file, flags, sizeof(flags))) > 0) {
		for (size_t i = 0; i < got / sizeof(*flags); i++) {
			if (!(flags[i] & SWAPCACHE))
				continue;
			cached++;
			idle += (flags[i] & LRU) && !(flags[i] & NOT_IDLE);
		}
	}
	check(!got, "kpageflags");
	close(file);
	printf("cached %lu\nidle %lu\n", cached, idle);
}

int main(int argc, char **argv)
{
	bool settles = argc > 3;
	uint64_t seed = 1;

	if (argc < 3)
		return 2;
	for (long n = atol(argv[2]); n > 0; n--)
		one_round(atol(argv[1]) << 20, &seed, settles);
	settle();
	census();
	return 0;
}
