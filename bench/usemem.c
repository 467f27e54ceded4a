// SPDX-License-Identifier: GPL-2.0
/*
 * usemem PROCESSES MIB PASSES [ORDER]: processes that use their memory at the
 * same time, MIB each, and compare every byte of it with what they wrote.
 *
 * The pages of a process are of six kinds by turns, none of them all zeroes:
 *
 *   text     words and spaces
 *   heap     pointers and small numbers, as a program's heap has
 *   sparse   zeroes, with a word in every 128 bytes
 *   same     one word again and again
 *   count    ascending numbers
 *   random   what no compressor makes smaller
 *
 * Each process fills its memory and waits until all have. Then, in each pass,
 * it goes through its regions of 1 MiB in random order, and compares each
 * page. A quarter of the regions are then overwritten, another quarter given
 * back and filled again: these get new folios. In the end all is compared.
 *
 * With an ORDER, sequential, strided or random, pages are written only once, and
 * each pass compares them one by one in that order. strided takes every 16th
 * page, the first of each 64 KiB, then all second ones, and so on. None is of
 * the kind random: compressed, all pages are well below half their size, so that
 * a limit of half of them has room for pages, too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096UL
#define WORDS (PAGE / 8)
#define REGION (1UL << 20)
#define REGION_PAGES (REGION / PAGE)
#define HUGE (2UL << 20)
#define MAX_MIB 1024
#define MAX_PROCESSES 64
#define TEMPLATES 32UL /* pages of a kind that differ in more than their stamps */
#define STAMP 128 /* words from one stamp of a page to the next */
#define STRIDE 16

enum kind { TEXT, HEAP, SPARSE, SAME, COUNT, RANDOM, KINDS };
static size_t used_kinds = KINDS;

static const char *const kinds[] = {
	"text", "heap", "sparse", "same", "count", "random"
};

/* The first is that of passes that also write. */
enum order { REGIONS, SEQUENTIAL, STRIDED, SHUFFLED, ORDERS };

static const char *const orders[] = { "regions", "sequential", "strided", "random" };

/* Copied, so that writing and comparing cost little beside swapping. */
static uint64_t templates[KINDS][TEMPLATES][WORDS];
static uint64_t want[WORDS];
static unsigned int generation[MAX_MIB]; /* of each region */

static void die(const char *what)
{
	printf("usemem: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void make_templates(void)
{
	static const char words[16][9] = {
		"the page", " is read", " from a ", "swapping", " device,", " and its",
		" content", " differs", " by the ", "process ", "that has", " used it",
		". Later ", "it will ", "be gone.", "        "
	};
	uint64_t x = 0x9e3779b97f4a7c15ULL;

	for (size_t t = 0; t < TEMPLATES; t++) {
		for (size_t i = 0; i < WORDS; i++) {
			uint64_t r = next(&x);

			memcpy(&templates[TEXT][t][i], words[r & 15], 8);
			templates[HEAP][t][i] = r >> 57;
			if (r & 1)
				templates[HEAP][t][i] = 0x7f5a00000000 | (r >> 40 & 0xfffff0);
			templates[RANDOM][t][i] = r;
		}
	}
}

/* The content of a page of a process, of a generation. */
static void make_page(size_t process, size_t page, unsigned int gen)
{
	enum kind kind = page % used_kinds;
	uint64_t x = (process << 48 | page << 16 | gen) * 0x9e3779b97f4a7c15ULL | 1;
	uint64_t stamp = next(&x);

	switch (kind) {
	case SAME:
		for (size_t i = 0; i < WORDS; i++)
			want[i] = stamp;
		return;
	case COUNT:
		for (size_t i = 0; i < WORDS; i++)
			want[i] = (stamp >> 16) + i;
		return;
	case SPARSE:
		memset(want, 0, PAGE);
		for (size_t i = 0; i < WORDS; i += 16)
			want[i] = stamp >> i % 48;
		return;
	default:
		memcpy(want, templates[kind][stamp % TEMPLATES], PAGE);
		for (size_t i = 0; i < WORDS; i += STAMP)
			want[i] = stamp + i;
	}
}

static void fill(unsigned char *mem, size_t process, size_t region)
{
	generation[region]++;
	for (size_t i = region * REGION_PAGES; i < (region + 1) * REGION_PAGES; i++) {
		make_page(process, i, generation[region]);
		memcpy(mem + i * PAGE, want, PAGE);
	}
}

static void compare_page(unsigned char *mem, size_t process, size_t i)
{
	make_page(process, i, generation[i / REGION_PAGES]);
	if (!memcmp(mem + i * PAGE, want, PAGE))
		return;
	for (size_t at = 0; at < PAGE; at++) {
		if (mem[i * PAGE + at] == ((unsigned char *)want)[at])
			continue;
		printf("usemem: process %zu, page %zu (%s): byte %zu is %#x, not %#x\n",
		       process, i, kinds[i % used_kinds], at, mem[i * PAGE + at],
		       ((unsigned char *)want)[at]);
		exit(1);
	}
}

static void compare(unsigned char *mem, size_t process, size_t region)
{
	for (size_t i = region * REGION_PAGES; i < (region + 1) * REGION_PAGES; i++)
		compare_page(mem, process, i);
}

/* Compares all pages, in an order. */
static void read_pass(unsigned char *mem, size_t process, size_t pages, enum order order,
		      uint64_t *x)
{
	static unsigned int shuffled[MAX_MIB * REGION_PAGES];

	if (order == SHUFFLED) {
		for (size_t i = 0; i < pages; i++) {
			size_t j = next(x) % (i + 1);

			shuffled[i] = shuffled[j];
			shuffled[j] = i;
		}
	}
	for (size_t i = 0; i < pages; i++) {
		size_t page = i;

		if (order == STRIDED)
			page = i * STRIDE % pages + i * STRIDE / pages;
		else if (order == SHUFFLED)
			page = shuffled[i];
		compare_page(mem, process, page);
	}
}

static void use(size_t process, size_t mib, unsigned int passes, enum order order_of_pages,
		pthread_barrier_t *barrier)
{
	uint64_t x = process * 0x9e3779b97f4a7c15ULL + 1;
	size_t order[MAX_MIB], size = mib * REGION;
	/* Aligned, so that folios of each size fit. */
	unsigned char *mem = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		die("mmap");
	mem = (unsigned char *)(((uintptr_t)mem + HUGE - 1) & ~(HUGE - 1));
	for (size_t i = 0; i < mib; i++) {
		order[i] = i;
		fill(mem, process, i);
	}
	for (unsigned int pass = 0; pass < passes; pass++) {
		pthread_barrier_wait(barrier);
		if (order_of_pages != REGIONS) {
			read_pass(mem, process, mib * REGION_PAGES, order_of_pages, &x);
			continue;
		}
		for (size_t i = mib - 1; i; i--) {
			size_t j = next(&x) % (i + 1), was = order[i];

			order[i] = order[j];
			order[j] = was;
		}
		for (size_t i = 0; i < mib; i++) {
			size_t region = order[i], action;

			compare(mem, process, region);
			action = next(&x) % 4;
			if (action == 0 && madvise(mem + region * REGION, REGION, MADV_DONTNEED))
				die("MADV_DONTNEED");
			if (action <= 1)
				fill(mem, process, region);
		}
	}
	if (order_of_pages != REGIONS)
		return;
	pthread_barrier_wait(barrier);
	for (size_t i = 0; i < mib; i++)
		compare(mem, process, i);
}

int main(int argc, char **argv)
{
	static pid_t children[MAX_PROCESSES];
	enum order order = REGIONS;
	size_t processes, mib;
	unsigned int passes;
	pthread_barrierattr_t shared;
	pthread_barrier_t *barrier;
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	processes = argc >= 4 ? strtoul(argv[1], NULL, 10) : 0;
	mib = argc >= 4 ? strtoul(argv[2], NULL, 10) : 0;
	passes = argc >= 4 ? strtoul(argv[3], NULL, 10) : 0;
	if (argc == 5) {
		used_kinds = RANDOM;
		while (order < ORDERS && strcmp(argv[4], orders[order]))
			order++;
	}
	if (!processes || processes > MAX_PROCESSES || !mib || mib > MAX_MIB || argc > 5 ||
	    order == ORDERS) {
		puts("usage: usemem PROCESSES MIB PASSES [sequential|strided|random]");
		return 2;
	}
	barrier = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (barrier == MAP_FAILED)
		die("mmap");
	pthread_barrierattr_init(&shared);
	pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(barrier, &shared, processes);
	make_templates();
	for (size_t process = 0; process < processes; process++) {
		children[process] = fork();
		if (children[process] < 0)
			die("fork");
		if (!children[process]) {
			use(process, mib, passes, order, barrier);
			return 0;
		}
	}
	for (size_t process = 0; process < processes; process++) {
		if (wait(&status) < 0)
			die("wait");
		if (!status)
			continue;
		printf("usemem: a process ended with status %#x\n", status);
		/* The others would wait for it. */
		for (size_t i = 0; i < processes; i++)
			kill(children[i], SIGKILL);
		return 1;
	}
	printf("usemem: %zu processes, %zu pages, %u passes: each byte as written\n", processes,
	       processes * mib * REGION_PAGES, passes);
	return 0;
}
