// SPDX-License-Identifier: GPL-2.0
/*
 * share THREADS PAGES KIB SECONDS: threads that share anonymous memory in folios of KIB, and go through it at once, again and
 * again: they read and write, and swap out about half of what is behind them. So they meet at folios that come in, in the
 * order in which these went out. Each page has a word of each thread, which only that thread writes, and knows; every
 * fourth page has random words beside, one of which each access compares. From time to time a child compares all, in pages
 * that it shares. Prints "share: ACCESSES accesses, WRONG wrong".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"

#define MOST_THREADS 16
#define RUN 16 /* pages that are swapped out at once */
#define WORDS (PAGE / 8 - 1) /* of a page, without its first */

static size_t threads, pages;
static time_t end;
static unsigned char *mem;
static atomic_ulong accesses, wrong;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static time_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static volatile uint64_t *word(size_t page, size_t thread) { return (uint64_t *)(mem + page * PAGE) + 1 + thread; }

/* Word i of a page, beyond those of the threads. */
static uint64_t filler(size_t page, size_t i) { return page % 4 ? 0 : (page * PAGE + i + 1) * 0x9e3779b97f4a7c15ULL; }

static bool good(size_t page, size_t i) { return *word(page, i) == filler(page, i); }

/* In a child, where nobody writes: its exit status is whether a page is wrong. */
static void compare_all(void)
{
	for (size_t page = 0; page < pages; page++)
		for (size_t i = MOST_THREADS; i < WORDS; i++)
			if (!good(page, i))
				_exit(1);
	_exit(0);
}

/* Waits for a child, if there is one. */
static void reap(int flags)
{
	int status;

	while (waitpid(-1, &status, flags) > 0)
		wrong += !!status;
}

static void *thread(void *arg)
{
	size_t me = (size_t)arg, done = 0;
	uint64_t *last = calloc(pages, sizeof(*last)), x = me + 1;

	if (!last)
		die("calloc");
	while (seconds() < end) {
		size_t page = done++ % pages;

		if (*word(page, me) != last[page] || !good(page, MOST_THREADS + x % (WORDS - MOST_THREADS)))
			wrong++;
		if (next(&x) & 1)
			*word(page, me) = last[page] = x;
		/* Pages that are in use stay in memory: what the kernel says doesn't matter. */
		if (page % RUN == RUN - 1 && next(&x) & 1)
			madvise(mem + (page + 1 - RUN) * PAGE, RUN * PAGE, MADV_PAGEOUT);
		if (!me && done % (4 * pages) == 0) {
			reap(WNOHANG);
			if (!fork())
				compare_all();
		}
	}
	accesses += done;
	free(last);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t ids[MOST_THREADS];

	if (argc != 5)
		return 2;
	threads = strtoul(argv[1], NULL, 10);
	pages = strtoul(argv[2], NULL, 10) / RUN * RUN;
	if (!threads || threads > MOST_THREADS || !pages)
		return 2;
	mem = mmap(NULL, pages * PAGE + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		die("mmap");
	mem = (unsigned char *)(((uintptr_t)mem + HUGE - 1) & ~(HUGE - 1));
	if (strtoul(argv[3], NULL, 10) > PAGE_KIB && madvise(mem, pages * PAGE, MADV_HUGEPAGE))
		die("MADV_HUGEPAGE");
	for (size_t page = 0; page < pages; page += 4)
		for (size_t i = MOST_THREADS; i < WORDS; i++)
			*word(page, i) = filler(page, i);
	end = seconds() + strtol(argv[4], NULL, 10);
	for (size_t i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, thread, (void *)i))
			die("pthread_create");
	for (size_t i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	reap(0);
	printf("share: %lu accesses, %lu wrong\n", accesses, wrong);
	return wrong || !accesses;
}
