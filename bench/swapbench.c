// SPDX-License-Identifier: GPL-2.0
/*
 * swapbench WHAT KIB CONTENT ROUNDS [WAY]: the cost of the swap paths, in a guest whose clock counts
 * executed instructions. Prints a row for each path,
 *
 *   WHAT KIB CONTENT WAY PER INSTRUCTIONS...
 *
 * with the instructions of each round and their divisor. WAY's measurements are marked for
 * bench/plugin/profile.c. The caller has enabled folios of KIB. In
 * each round:
 *
 *   new      the first write to each page, for comparison: involves no swap
 *   out      MADV_PAGEOUT
 *   miss     mincore() of swapped-out memory: a lookup for each page
 *   in       the first read of each page, less reading it again
 *   again    MADV_PAGEOUT of what came back so
 *   round    out, in and again together
 *   sparse   the first read of one page in sixteen, less reading it again
 *   free     munmap() of swapped-out memory
 *   scatter  MADV_DONTNEED of swapped-out memory, page by page in random order, less doing it again
 *   split    munmap() of swapped-out memory, one page in sixteen of which is in the swap cache
 *   ahead    MADV_WILLNEED: into the swap cache, not into the page table
 *   hit      mincore() of memory in the swap cache
 *   cached   the first read of each page that is in the swap cache, less reading it again
 *   drop     munmap() of memory that is swapped out and in the swap cache
 *   unmap    munmap() of memory that was never swapped
 *   exit     of a process with memory that was never swapped, less that of one without
 *   gone     of a process with memory that is swapped out, less that of one without
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096UL
#define PAGES 512UL /* one folio of 2 MiB */
#define SIZE (PAGES * PAGE)
#define LOADED 16 /* split, sparse: every so many pages, one is loaded */
#define LOOKS 8 /* mincore() is cheap: repeat it */
#define ENDINGS 3 /* exits, of which the cheapest counts */
#define ROUNDS 64

static enum {
	NEW, OUT, MISS, IN, AGAIN, ROUND, SPARSE, FREE, SCATTER,
	SPLIT, AHEAD, HIT, CACHED, DROP, UNMAP, EXIT, GONE, WAYS
} way;
static const char *const ways[] = { "new",    "out",  "miss",    "in",    "again", "round",
				    "sparse", "free", "scatter", "split", "ahead", "hit",
				    "cached", "drop", "unmap",   "exit",  "gone" };
static uint64_t took[WAYS][ROUNDS];
static int marked = -1; /* a way */
static uint64_t per_instruction; /* ticks of the time stamp counter */

#define TICKS 15
#define TICK_LEAST 1000 /* instructions: more than anything else in a loop takes */
static uint64_t ticks[TICKS], nr_ticks, tick_period, tick_cost;

static enum { ZERO, SAME, HOLES, TEXT, RANDOM } content;
static const char *const contents[] = { "zero", "same", "holes", "text", "random" };

static unsigned char *mem;
static uint64_t (*want)[PAGES][PAGE / 8]; /* the expected contents, in separate pages */
static unsigned char in_core[PAGES];
static size_t order[PAGES]; /* a random one */

static void die(const char *what)
{
	printf("swapbench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void check(bool good, const char *what)
{
	if (!good) {
		printf("swapbench: %s\n", what);
		exit(1);
	}
}

static uint64_t now(void)
{
	uint32_t low, high;

	asm volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* A loop of known length: two instructions per iteration. */
static void calibrate(void)
{
	uint64_t n, start, least = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		n = 100000;
		start = now();
		asm volatile("1: dec %0; jnz 1b" : "+r"(n));
		start = now() - start;
		least = start < least ? start : least;
	}
	per_instruction = least / 200000;
	check(per_instruction && least % 200000 < 1000,
	      "the clock doesn't count instructions: start QEMU with -icount");
}

/*
 * The timer ticks every few milliseconds and takes some thousand instructions. Measurements start
 * right after a tick, so that the number of ticks in them is known.
 */
static uint64_t after_tick(void)
{
	uint64_t before, t = now();

	do {
		before = t;
		t = now();
	} while (t - before < TICK_LEAST * per_instruction);
	ticks[nr_ticks++ % TICKS] = t - before;
	return t;
}

static int compare(const void *a, const void *b)
{
	return (*(uint64_t *)a > *(uint64_t *)b) - (*(uint64_t *)a < *(uint64_t *)b);
}

static void time_ticks(void)
{
	uint64_t gaps[TICKS], t = after_tick(), next;

	for (int i = 0; i < TICKS; i++) {
		next = after_tick();
		gaps[i] = next - t;
		t = next;
	}
	qsort(gaps, TICKS, sizeof(gaps[0]), compare);
	tick_period = gaps[TICKS / 2];
	memcpy(gaps, ticks, sizeof(gaps));
	qsort(gaps, TICKS, sizeof(gaps[0]), compare);
	tick_cost = gaps[TICKS / 2];
}

/* The instructions between start and end, without those of ticks. */
static uint64_t between(uint64_t start, uint64_t end)
{
	return end - start - (end - start + tick_cost) / tick_period * tick_cost;
}

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void make_content(void)
{
	static const char words[8][9] = { "compress", "swapping", " of the ", "\tif (ret",
					  "pages\t/*", "\n\treturn", "folio = ", "struct x" };
	uint64_t r, x = 0x9e3779b97f4a7c15ULL;

	for (size_t i = 0; i < PAGES; i++)
		for (size_t k = 0; k < PAGE / 8; k++) {
			r = next(&x);
			switch (content) {
			case ZERO:
				(*want)[i][k] = 0;
				break;
			case SAME:
				(*want)[i][k] = i + 1;
				break;
			case HOLES: /* fifteen pages of sixteen are zeroes */
				(*want)[i][k] = i % 16 == 5 ? i + 1 : 0;
				break;
			case TEXT: /* three words of four come from the dictionary */
				if (r >> 62)
					memcpy(&(*want)[i][k], words[r & 7], 8);
				else
					(*want)[i][k] = r & 0xffffff;
				break;
			case RANDOM:
				(*want)[i][k] = r;
				break;
			}
		}
}

static void make_order(void)
{
	uint64_t x = 0x9e3779b97f4a7c15ULL;

	for (size_t i = 0; i < PAGES; i++) {
		size_t k = next(&x) % (i + 1);

		order[i] = order[k];
		order[k] = i;
	}
}

static void *anonymous(size_t size, int flags)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

/* The measured operations. */
static void unmap(void) { munmap(mem, SIZE); }

static void out(void)
{
	if (madvise(mem, SIZE, MADV_PAGEOUT))
		die("MADV_PAGEOUT");
}

static void scatter(void)
{
	for (size_t i = 0; i < PAGES; i++)
		if (madvise(mem + order[i] * PAGE, PAGE, MADV_DONTNEED))
			die("MADV_DONTNEED");
}

static void load_some(void)
{
	for (size_t i = 0; i < PAGES; i += LOADED)
		if (madvise(mem + i * PAGE, PAGE, MADV_WILLNEED))
			die("MADV_WILLNEED");
}

static void ahead(void)
{
	if (madvise(mem, SIZE, MADV_WILLNEED))
		die("MADV_WILLNEED");
}

static void look(void)
{
	for (int i = 0; i < LOOKS; i++)
		if (mincore(mem, SIZE, in_core))
			die("mincore");
}

static void write_each(void)
{
	for (size_t i = 0; i < SIZE; i += PAGE)
		*(volatile unsigned char *)(mem + i) = 1;
}

static void read_each(void)
{
	for (size_t i = 0; i < SIZE; i += PAGE)
		*(volatile unsigned char *)(mem + i);
}

static void read_some(void)
{
	for (size_t i = 0; i < SIZE; i += LOADED * PAGE)
		*(volatile unsigned char *)(mem + i);
}

static uint64_t timed(int what, void (*act)(void))
{
	bool mark = what == marked;
	uint64_t start = after_tick();

	if (mark)
		asm volatile("nopl 0x50524601(%%rax)" : : : "memory");
	act();
	if (mark)
		asm volatile("nopl 0x50524602(%%rax)" : : : "memory");
	return between(start, now());
}

/* What is subtracted from another measurement. */
#define BASE WAYS

/* Aligned, and not adjacent to a mapping that it could be merged with. */
static void map(void)
{
	unsigned char *at = anonymous(2 * SIZE, MAP_PRIVATE | MAP_NORESERVE);
	unsigned char *first = (unsigned char *)(((uintptr_t)at + SIZE - 1) & ~(SIZE - 1));

	munmap(at, first - at);
	munmap(first + SIZE, at + SIZE - first);
	if (madvise(first, SIZE, MADV_HUGEPAGE))
		die("MADV_HUGEPAGE");
	mem = first;
}

static void fill(int round)
{
	uint64_t t;

	map();
	t = timed(NEW, write_each);
	if (round >= 0)
		took[NEW][round] = t;
	memcpy(mem, want, SIZE);
}

/* Reads pages once, without the cost of the reads themselves. */
static uint64_t read_new(int what, void (*act)(void))
{
	uint64_t first = timed(what, act);

	first -= timed(BASE, act);
	check(!memcmp(mem, want, SIZE), "the data that came back differs");
	return first;
}

/* Checks that one page in EACH is in the swap cache, and no other. */
static void check_each(size_t each)
{
	for (size_t i = 0; i < PAGES; i++) {
		bool there = each && i % each == 0;

		check((in_core[i] & 1) == there,
		      there ? "a page isn't in the swap cache" : "a page isn't swapped out");
	}
}

/* Checks that all of it is in the swap cache, or none. */
static void check_all(bool there)
{
	check_each(there);
}

static void fill_and_out(int round)
{
	fill(round);
	out();
	look();
	check_all(false);
}

/* An exit, from the child's last instruction to its parent's continuation. */
static uint64_t one_ending(uint64_t *start, bool memory, bool swapped)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		if (swapped)
			fill_and_out(-1);
		else if (memory)
			fill(-1);
		*start = after_tick();
		_exit(0);
	}
	check(waitpid(pid, &status, 0) == pid && !status, "a child failed");
	return between(*start, now());
}

/* Other activity during an exit, such as RCU callbacks, can only add to the cost. */
static uint64_t ending(uint64_t *start, bool memory, bool swapped)
{
	uint64_t t, least = UINT64_MAX;

	for (int i = 0; i < ENDINGS; i++) {
		t = one_ending(start, memory, swapped);
		least = t < least ? t : least;
	}
	return least;
}

int main(int argc, char **argv)
{
	uint64_t *start = anonymous(PAGE, MAP_SHARED), empty;
	int rounds = argc == 5 || argc == 6 ? atoi(argv[4]) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	check(rounds > 0 && rounds <= ROUNDS, "usage: swapbench WHAT KIB CONTENT ROUNDS [WAY]");
	for (marked = 0; argc == 6 && strcmp(argv[5], ways[marked]); marked++)
		check(marked < WAYS - 1, "no such way");
	if (argc == 5)
		marked = -1;
	while (strcmp(argv[3], contents[content]))
		check(++content <= RANDOM, "no such content");
	calibrate();
	time_ticks();
	/* Small pages, so that the environment is the same for each folio size. */
	want = anonymous(SIZE, MAP_PRIVATE);
	madvise(want, SIZE, MADV_NOHUGEPAGE);
	make_content();
	make_order();

	/* The first rounds allocate slabs, tables and the device's memory. */
	for (int warm = -2; warm < rounds; warm++) {
		int i = warm < 0 ? 0 : warm;

		fill(i);
		took[OUT][i] = timed(OUT, out);
		took[MISS][i] = timed(MISS, look);
		check_all(false);
		took[IN][i] = read_new(IN, read_each);
		took[AGAIN][i] = timed(AGAIN, out);
		took[ROUND][i] = took[OUT][i] + took[IN][i] + took[AGAIN][i];
		look();
		check_all(false);
		unmap();

		fill_and_out(i);
		took[SPARSE][i] = read_new(SPARSE, read_some);
		unmap();

		fill_and_out(i);
		took[FREE][i] = timed(FREE, unmap);

		fill_and_out(i);
		took[SCATTER][i] = timed(SCATTER, scatter);
		took[SCATTER][i] -= timed(BASE, scatter);
		unmap();

		fill_and_out(i);
		load_some();
		look();
		check_each(LOADED);
		took[SPLIT][i] = timed(SPLIT, unmap);

		fill_and_out(i);
		took[AHEAD][i] = timed(AHEAD, ahead);
		took[HIT][i] = timed(HIT, look);
		check_all(true);
		took[CACHED][i] = read_new(CACHED, read_each);
		unmap();

		fill_and_out(i);
		ahead();
		look();
		check_all(true);
		took[DROP][i] = timed(DROP, unmap);

		fill(i);
		took[UNMAP][i] = timed(UNMAP, unmap);

		empty = ending(start, false, false);
		took[EXIT][i] = ending(start, true, false) - empty;
		took[GONE][i] = ending(start, true, true) - empty;
	}

	for (way = 0; way < WAYS; way++) {
		printf("%s\t%s\t%s\t%s\t%lu\t", argv[1], argv[2], argv[3], ways[way],
		       way == MISS || way == HIT ? PAGES * LOOKS :
		       way == SPARSE		 ? PAGES / LOADED :
						   PAGES);
		for (int i = 0; i < rounds; i++)
			printf("%s%ld", i ? " " : "",
			       (int64_t)took[way][i] / (int64_t)per_instruction);
		printf("\n");
	}
	return 0;
}
