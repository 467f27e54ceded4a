// SPDX-License-Identifier: GPL-2.0
/* Shared by the scenes: see users.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "users.h"

#define KPF_SWAPCACHE 13 /* in kpageflags */

int pagemap;
const char *step = "start";
bool racing;

/* --- Output --------------------------------------------------------------- */

void say(const char *format, ...)
{
	static const char *comma = "";
	va_list args;

	printf("%s", comma);
	comma = ", ";
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	fflush(stdout); /* the alarm may come */
}

void die(const char *what)
{
	say("%s: %s: %s\n", step, what, strerror(errno));
	exit(1);
}

void write_to(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(file);
	close(fd);
}

long read_from(const char *file)
{
	char text[32] = "";
	int fd = open(file, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die(file);
	close(fd);
	return atol(text);
}

/* The number after a name in a file of names and numbers. */
long number_in(const char *file, const char *name)
{
	char line[200];
	size_t length = strlen(name);
	FILE *from = fopen(file, "r");

	if (!from)
		die(file);
	while (fgets(line, sizeof(line), from)) {
		if (strncmp(line, name, length) || !strchr(" \t:", line[length]))
			continue;
		fclose(from);
		return strtol(line + length + strspn(line + length, " \t:"), NULL, 10);
	}
	errno = ENOENT;
	die(name);
}

long vmstat(const char *name)
{
	return number_in("/proc/vmstat", name);
}

long folio_stat(long kib, const char *name)
{
	char file[120];

	snprintf(file, sizeof(file), THP "hugepages-%ldkB/stats/%s", kib, name);
	return read_from(file);
}

/* --- Memory ----------------------------------------------------------------- */

/* Each page differs: most compress; of sixteen, one doesn't and one is zero. */
void make_page(uint64_t *to, uint32_t seed, size_t index)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15ULL + index * 2 + 1;

	if (seed == ZERO || index % 16 == 7) {
		memset(to, 0, PAGE);
		return;
	}
	next(&x);
	for (size_t i = 0; i < PAGE / 8; i++) {
		uint64_t r = next(&x);

		to[i] = index % 16 == 15 || i % 4 == 0 ? r : r & 0xffff;
	}
}

void same(const unsigned char *mem, uint32_t seed, size_t index)
{
	uint64_t want[PAGE / 8];

	make_page(want, seed, index);
	if (!memcmp(mem, want, PAGE))
		return;
	for (size_t b = 0; b < PAGE; b++) {
		if (mem[b] == ((unsigned char *)want)[b])
			continue;
		say("%s: WRONG page %zu byte %zu: %02x, not %02x\n", step, index, b, mem[b],
		    ((unsigned char *)want)[b]);
		exit(1);
	}
}

void check_page(const struct area *a, size_t i)
{
	if (a->seeds[i] != GONE)
		same(a->mem + i * PAGE, a->seeds[i], i);
}

void check(const struct area *a, const char *now)
{
	step = now;
	for (size_t i = 0; i < a->pages; i++)
		check_page(a, i);
}

void touch(const struct area *a, size_t i)
{
	(void)*(volatile unsigned char *)(a->mem + i * PAGE);
}

void fill_page(struct area *a, size_t i, uint32_t seed)
{
	a->seeds[i] = seed;
	make_page((uint64_t *)(a->mem + i * PAGE), seed, i);
}

/* Fills every n-th page from first on. */
void fill(struct area *a, size_t first, size_t every, uint32_t seed)
{
	for (size_t i = first; i < a->pages; i += every)
		if (a->seeds[i] != GONE)
			fill_page(a, i, seed);
}

/* Addresses for that many pages, aligned to the largest folio. */
unsigned char *room(size_t pages)
{
	unsigned char *area = mmap(NULL, pages * PAGE + 2 * HUGE, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		die("mmap");
	return (unsigned char *)(((uintptr_t)area + HUGE - 1) & ~(HUGE - 1));
}

/* Maps the file fd, or private memory if that is -1. */
struct area map(size_t pages, int fd)
{
	static uint32_t seeds[50000], *free_seeds = seeds;
	struct area a = { .pages = pages, .seeds = free_seeds };

	free_seeds += pages;
	if (free_seeds > seeds + sizeof(seeds) / sizeof(*seeds))
		die("seeds");
	a.mem = mmap(room(pages), pages * PAGE, PROT_READ | PROT_WRITE,
		     MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED), fd, 0);
	if (a.mem == MAP_FAILED)
		die("mmap");
	return a;
}

void advise(const struct area *a, size_t first, size_t n, int advice, const char *name)
{
	if (madvise(a->mem + first * PAGE, n * PAGE, advice))
		die(name);
}

struct area anon(size_t pages, bool huge)
{
	struct area a = map(pages, -1);

	if (huge)
		ADVISE_ALL(&a, MADV_HUGEPAGE);
	else
		ADVISE_ALL(&a, MADV_NOHUGEPAGE);
	return a;
}

struct area shared(size_t pages, int *fd)
{
	*fd = memfd_create("users", 0);
	if (*fd < 0 || ftruncate(*fd, pages * PAGE))
		die("memfd_create");
	return map(pages, *fd);
}

/* --- State ------------------------------------------------------------------ */

static uint64_t page_entry(const struct area *a, size_t i)
{
	uint64_t entry;

	if (!read_pagemap(pagemap, a->mem + i * PAGE, &entry, 1))
		die("pagemap");
	return entry;
}

bool is_swapped(const struct area *a, size_t i)
{
	return page_entry(a, i) & SWAPPED;
}

uint64_t slot(const struct area *a, size_t i)
{
	return page_entry(a, i) >> 5 & ((1ULL << 50) - 1);
}

/* Pages of private memory whose page table entry is a swap entry. */
size_t swapped(const struct area *a)
{
	static uint64_t entries[512];
	size_t count = 0;

	for (size_t i = 0; i < a->pages; i += 512) {
		ssize_t n = a->pages - i < 512 ? a->pages - i : 512;

		if (!read_pagemap(pagemap, a->mem + i * PAGE, entries, n))
			die("pagemap");
		while (n--)
			count += !!(entries[n] & SWAPPED);
	}
	return count;
}

/*
 * Pages that are resident according to mincore(): in memory, or in the swap
 * cache.
 */
size_t resident(const struct area *a)
{
	static unsigned char there[8192];
	size_t count = 0;

	if (a->pages > sizeof(there) || mincore(a->mem, a->pages * PAGE, there))
		die("mincore");
	for (size_t i = 0; i < a->pages; i++)
		count += there[i] & 1;
	return count;
}

/* Counts the page frames in the swap cache, and marks them in there unless it is NULL. */
size_t cached(bool *there)
{
	static uint64_t flags[4096];
	int fd = open("/proc/kpageflags", O_RDONLY);
	size_t count = 0, frame = 0;
	ssize_t got;

	if (fd < 0)
		die("kpageflags");
	while ((got = read(fd, flags, sizeof(flags))) > 0) {
		for (ssize_t i = 0; i < got / 8; i++, frame++) {
			bool is = flags[i] >> KPF_SWAPCACHE & 1;

			count += is;
			if (there)
				there[frame] = is;
		}
	}
	close(fd);
	return count;
}

bool settled(void)
{
	refresh_vmstat();
	return !vmstat("nr_writeback");
}

/* Waits up to 20 s for a condition. */
bool soon(bool (*what)(void))
{
	for (int i = 0; i < 2000; i++) {
		if (what())
			return true;
		usleep(10000);
	}
	return false;
}

long major(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

/* --- Swapping out ------------------------------------------------------------ */

void reclaim(void)
{
	int fd = open(GROUP "/memory.reclaim", O_WRONLY);

	/* Never reclaims as much as requested: EAGAIN. */
	if (fd < 0 || (write(fd, "32M swappiness=max", 18) < 0 && errno != EAGAIN))
		die("memory.reclaim");
	close(fd);
}

/*
 * Reclaims, including pages that others map, until only that many are there. Active pages aren't
 * reclaimed before the statistics, which lag by two seconds, allow it.
 */
size_t squeeze(const struct area *a, size_t (*there)(const struct area *), size_t want)
{
	for (int tries = 0; tries < 3000 && there(a) != want; tries++) {
		reclaim();
		if (tries > 10)
			usleep(10000);
	}
	return there(a);
}

size_t in_memory(const struct area *a)
{
	return a->pages - swapped(a);
}

/*
 * Also removes pages from the swap cache, where they stay after they are
 * written to a disk.
 */
void drop(void)
{
	for (int tries = 0; tries < 1000 && cached(NULL); tries++) {
		reclaim();
		if (tries > 10)
			usleep(30000);
	}
}

void out_some(const struct area *a, size_t first, size_t n)
{
	ADVISE(a, first, n, MADV_PAGEOUT);
}

size_t out(const struct area *a)
{
	/* A page under writeback, or with a transient reference, is skipped. */
	for (int tries = 0; tries < 5 && in_memory(a); tries++) {
		if (tries)
			soon(settled);
		out_some(a, 0, a->pages);
	}
	return swapped(a);
}

void leave(void)
{
	write_to("/cg/cgroup.procs", "0");
}

/* --- Children ------------------------------------------------------------------ */

pid_t spawn(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		alarm(STUCK);
	return child;
}

/* How many of the children exited successfully. */
int reap(int n)
{
	int good = 0, status;

	while (n--)
		if (wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
			good++;
	return good;
}

void end_child(void)
{
	fflush(stdout);
	_exit(0);
}

void any_cpu(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}
