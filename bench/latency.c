// SPDX-License-Identifier: GPL-2.0
/*
 * latency KIB FAULTS SEED: how long a fault takes on a CPU that stores. A task of SCHED_FIFO, which a
 * timer wakes at random, reads a page of its own that is in zswap, while a task of SCHED_OTHER on the
 * same CPU swaps out folios of KIB by MADV_PAGEOUT, again and again; with KIB 0, none does. The caller
 * has enabled folios of KIB. A wakeup between two MADV_PAGEOUT isn't counted. Prints two rows,
 *
 *   KIB fault NS...       from the wakeup to the page, for each fault
 *   KIB response NS...    from the timer's expiry to the page
 *
 * of the guest's clock. (The compressors disable preemption while they compress a page, so that the task
 * seldom runs before it is compressed.)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096UL
#define SIZE (512 * PAGE) /* of a turn of the storing task */
#define MOST 100000
#define NS_PER_S 1000000000ULL
/* Between two wakeups, in ns: longer than a fault, and of no common period with stores. */
#define GAP_LEAST 1000000
#define GAP_MORE 2000000
#define MISSES 10 /* wakeups between stores, at most, for each one that is counted */

static volatile bool *storing; /* shared by both tasks */
static uint64_t fault[MOST], response[MOST];

static void die(const char *what)
{
	printf("latency: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void check(bool good, const char *what)
{
	if (!good) {
		printf("latency: %s\n", what);
		exit(1);
	}
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* As swapbench's: three words of four come from a dictionary. */
static void fill(void *mem, size_t size, uint64_t x)
{
	static const char words[8][9] = { "compress", "swapping", " of the ", "\tif (ret",
					  "pages\t/*", "\n\treturn", "folio = ", "struct x" };
	uint64_t *word = mem;

	for (size_t i = 0; i < size / 8; i++) {
		uint64_t r = next(&x);

		if (r >> 62)
			memcpy(&word[i], words[r & 7], 8);
		else
			word[i] = r & 0xffffff;
	}
}

static unsigned char *map(size_t size, int flags)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

/* Swaps out the same 2 MiB again and again, in new folios. */
static void store(void)
{
	unsigned char *text = map(SIZE, MAP_PRIVATE), *at = map(2 * SIZE, MAP_PRIVATE | MAP_NORESERVE);
	unsigned char *mem = (unsigned char *)(((uintptr_t)at + SIZE - 1) & ~(SIZE - 1));

	madvise(text, SIZE, MADV_NOHUGEPAGE);
	fill(text, SIZE, 1);
	if (madvise(mem, SIZE, MADV_HUGEPAGE))
		die("MADV_HUGEPAGE");
	for (;;) {
		memcpy(mem, text, SIZE);
		*storing = true;
		if (madvise(mem, SIZE, MADV_PAGEOUT))
			die("MADV_PAGEOUT");
		*storing = false;
		if (madvise(mem, SIZE, MADV_DONTNEED))
			die("MADV_DONTNEED");
	}
}

static void sleep_until(uint64_t when)
{
	struct timespec t = { when / NS_PER_S, when % NS_PER_S };

	if ((errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)))
		die("clock_nanosleep");
}

static void print(const char *kib, const char *what, const uint64_t *times, size_t n)
{
	printf("%s\t%s\t", kib, what);
	for (size_t i = 0; i < n; i++)
		printf("%s%lu", i ? " " : "", times[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	size_t n = argc == 4 ? strtoul(argv[2], NULL, 10) : 0, done = 0, missed = 0;
	const struct sched_param fifo = { .sched_priority = 50 };
	unsigned char *mem, *want, *in_core;
	uint64_t x = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	bool stores = argc == 4 && strcmp(argv[1], "0");
	pid_t pid = 0;

	check(n && n <= MOST && x, "usage: latency KIB FAULTS SEED");
	check(sysconf(_SC_NPROCESSORS_ONLN) == 1, "needs one CPU");
	storing = (void *)map(PAGE, MAP_SHARED);
	/* First, so that it doesn't share the slots. */
	if (stores) {
		pid = fork();
		if (pid < 0)
			die("fork");
		if (!pid)
			store();
	}
	mem = map(n * PAGE, MAP_PRIVATE);
	want = map(n * PAGE, MAP_PRIVATE);
	in_core = malloc(n);
	if (!in_core || madvise(mem, n * PAGE, MADV_NOHUGEPAGE) || madvise(want, n * PAGE, MADV_NOHUGEPAGE))
		die("memory");
	fill(want, n * PAGE, x);
	memcpy(mem, want, n * PAGE);
	if (madvise(mem, n * PAGE, MADV_PAGEOUT) || mincore(mem, n * PAGE, in_core))
		die("MADV_PAGEOUT");
	for (size_t i = 0; i < n; i++)
		check(!(in_core[i] & 1), "a page isn't swapped out");

	if (sched_setscheduler(0, SCHED_FIFO, &fifo))
		die("SCHED_FIFO");
	while (done < n) {
		uint64_t when = now() + GAP_LEAST + next(&x) % GAP_MORE, woken;

		sleep_until(when);
		woken = now();
		if (stores && !*storing) {
			check(++missed < MISSES * n, "the other task doesn't store");
			check(!waitpid(pid, NULL, WNOHANG), "the other task has ended");
			continue;
		}
		*(volatile unsigned char *)(mem + done * PAGE);
		response[done] = now();
		fault[done] = response[done] - woken;
		response[done] -= when;
		done++;
	}
	if (stores)
		kill(pid, SIGKILL);
	check(!memcmp(mem, want, n * PAGE), "the data that came back differs");
	print(argv[1], "fault", fault, n);
	print(argv[1], "response", response, n);
	return 0;
}
