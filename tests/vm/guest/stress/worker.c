// SPDX-License-Identifier: GPL-2.0
/* The workers: processes that write, swap out, read back, zero, free and fork their memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

/*
 * Pages that another thread reads while they are being swapped out, between unmapping and removal
 * from the swap cache: they stay there, and their entries stay in zswap. Their next contents make
 * the entries stale.
 */
static struct {
	size_t first, n;
} hot;

static int pagemap;

static bool is_swapped(size_t page)
{
	uint64_t entry;

	if (!read_pagemap(pagemap, mem + page * PAGE, &entry, 1))
		die("pagemap");
	return entry & SWAPPED;
}

static bool is_hot(void)
{
	return __atomic_load_n(&hot.n, __ATOMIC_ACQUIRE);
}

static void *reader(void *unused)
{
	uint64_t x = me;

	while (!over(&all->last)) {
		size_t n = __atomic_load_n(&hot.n, __ATOMIC_ACQUIRE), end = hot.first + n;

		if (!n)
			usleep(500);
		for (size_t page = end - n; page < end; page += 1 + next(&x) % 8) {
			while (is_hot() && !is_swapped(page))
				;
			if (!is_hot())
				break;
			/* Too early, and the page isn't stored; too late, and it is freed. */
			for (uint64_t at = now_us() + next(&x) % 40; now_us() < at;)
				;
			(void)*(volatile unsigned char *)(mem + page * PAGE);
		}
	}
	return unused;
}

static void push_out(size_t first, size_t n, bool read)
{
	hot.first = first;
	__atomic_store_n(&hot.n, read ? n : 0, __ATOMIC_RELEASE);
	advise(first, n, MADV_PAGEOUT);
	__atomic_store_n(&hot.n, 0, __ATOMIC_RELEASE);
}

static void child(void)
{
	size_t first = roll(pages - 256);

	me = __atomic_add_fetch(&all->owners, 1, __ATOMIC_RELAXED);
	compare(first, 128, "in a child");
	if (shared)
		_exit(0);
	write_pages(first, 64, one_in(4));
	advise(first, 128, MADV_PAGEOUT);
	compare(first + 32, 64, "in a child that has written");
	advise(first, 256, MADV_PAGEOUT);
	_exit(0); /* with memory in zswap */
}

void split_off(void)
{
	static unsigned long children;
	pid_t pid = begin(role, ++children);

	if (!pid)
		child();
	count(FORKS);
	if (shared) /* the child reads what we would change */
		reap(0);
}

static void step(void)
{
	size_t n = roll(64) + 1, first = roll(pages - n);
	size_t wide = roll(512) + 1, from = roll(pages - wide);
	unsigned long what = roll(100);

	if (what < 38) {
		compare(first, n, "at work");
	} else if (what < 63) {
		write_pages(first, n, false);
	} else if (what < 70) {
		write_pages(from, wide, true);
	} else if (what < 85) {
		push_out(from, wide, one_in(2));
		if (one_in(2)) { /* what stayed, once more */
			write_pages(from, wide, one_in(3));
			push_out(from, wide, false);
			if (one_in(2))
				compare(from, wide, "after it stayed");
		}
	} else if (what < 88) {
		advise(first, n, MADV_WILLNEED);
	} else if (what < 91) {
		advise(first, n, shared ? MADV_REMOVE : MADV_DONTNEED);
		for (size_t i = first; i < first + n; i++) {
			marks[i].generation++;
			marks[i].kind = ZERO;
		}
	} else if (what < 93) { /* room for a large folio, and something in it */
		from &= ~511UL;
		advise(from, 512, shared ? MADV_REMOVE : MADV_DONTNEED);
		write_pages(from, 512, false);
	} else if (what < 96) {
		advise(from, wide, MADV_COLD);
	} else if (what < 98) {
		split_off();
	} else {
		rest(20);
	}
	while (reap(WNOHANG))
		;
}

void worker(unsigned long nr)
{
	pthread_t thread;

	join("w%lu", nr);
	shared = nr == WORKERS - 1;
	map(WORKER_PAGES, nr != 0);
	write_pages(0, pages, false);
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	if (pagemap < 0)
		die("pagemap");
	if (pthread_create(&thread, NULL, reader, NULL))
		die("pthread_create");
	while (!over(&all->stop))
		step();
	while (reap(0))
		;
	while (!over(&all->last))
		usleep(10000);
	pthread_join(thread, NULL);
	compare(0, pages, "at the end");
	_exit(0);
}
