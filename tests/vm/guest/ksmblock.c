// SPDX-License-Identifier: GPL-2.0
/*
 * ksmblock CGROUP: a swap-in reads swapped-out pages of KSM as one large folio. The swap device is
 * synchronous; 64 KiB is the only enabled folio size; zswap was never enabled.
 *
 * Two processes, A and B, have the same pages, which KSM merges and reclaim swaps out: A's lie in
 * consecutive slots. A moves its mapping until its addresses fit the slots, and reads one page of
 * each block. Then B reads its pages, A ends, and B's pages are to be swapped out again. Prints:
 *
 *   rows yes       if some of A's blocks lay in aligned, consecutive slots
 *   stuck N        pages of B that reclaim could not swap out afterwards
 *   wrong N        pages of B with other contents than before
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "blocks.h"

#define PAGES 512UL
#define SLOT(entry) ((entry) >> 5 & ((1ULL << 50) - 1))

#define KSM "/sys/kernel/mm/ksm/"

static const char *cgroup;

static void put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);

	check(file >= 0 && write(file, text, strlen(text)) > 0, path);
	close(file);
}

static unsigned long get(const char *path)
{
	char text[32] = "";
	int file = open(path, O_RDONLY);

	check(file >= 0 && read(file, text, sizeof(text) - 1) > 0, path);
	close(file);
	return strtoul(text, NULL, 10);
}

static unsigned char *area(void)
{
	unsigned char *mem = mmap(NULL, PAGES * PAGE + HUGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(mem != MAP_FAILED, "mmap");
	return (void *)(((uintptr_t)mem + HUGE - 1) & ~(HUGE - 1));
}

static unsigned char *mergeable(void)
{
	unsigned char *mem = area();

	check(!madvise(mem, PAGES * PAGE, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	for (size_t i = 0; i < PAGES; i++) {
		uint64_t x = i * 2 + 1;

		for (size_t j = 0; j < PAGE / 8; j++)
			((uint64_t *)(mem + i * PAGE))[j] = next(&x);
	}
	check(!madvise(mem, PAGES * PAGE, MADV_MERGEABLE), "MADV_MERGEABLE");
	check(!madvise(mem, PAGES * PAGE, MADV_HUGEPAGE), "MADV_HUGEPAGE");
	return mem;
}

static size_t present(unsigned char *mem)
{
	size_t found = 0;

	for (size_t i = 0; i < PAGES; i++)
		found += !!(entry(mem + i * PAGE) & PRESENT);
	return found;
}

/* Has reclaim swap out the pages of this process, and those of others that share them. */
static void page_out(unsigned char *mem)
{
	/* It allows that only as the cgroup's statistics do, which lag by two seconds. */
	for (int tries = 0; tries < 200 && present(mem); tries++) {
		reclaim(cgroup);
		usleep(10000);
	}
}

/* Whether this page and the 15 that follow are in aligned, consecutive slots. */
static bool in_a_row(const unsigned char *at)
{
	uint64_t first = entry(at);

	if (!(first & SWAPPED) || SLOT(first) % NR)
		return false;
	for (size_t i = 1; i < NR; i++)
		if (entry(at + i * PAGE) != first + (i << 5))
			return false;
	return true;
}

/* A: moves its pages and reads them. Returns how many blocks were in a row. */
static unsigned char read_blocks(unsigned char *mem)
{
	size_t found[NR] = {}, best = 0;
	unsigned char *to, rows = 0, whole = 0;

	for (size_t i = 0; i + NR <= PAGES; i++)
		if (in_a_row(mem + i * PAGE) && ++found[i % NR] > found[best])
			best = i % NR;
	to = area() + (NR - best) * PAGE;
	check(mremap(mem, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to, "mremap");
	for (size_t i = best; i + NR <= PAGES; i += NR) {
		size_t in = 0;

		if (!in_a_row(to + i * PAGE))
			continue;
		rows++;
		(void)*(volatile unsigned char *)(to + i * PAGE);
		for (size_t j = 0; j < NR; j++)
			in += !!(entry(to + (i + j) * PAGE) & PRESENT);
		whole += in == NR;
	}
	fprintf(stderr, "%d of %d blocks came in as a whole\n", whole, rows);
	return rows;
}

int main(int argc, char **argv)
{
	size_t wrong = 0;
	unsigned char *mem, rows = 0, c = 0;
	int to[2], from[2];
	pid_t a;

	if (argc < 2)
		return 2;
	cgroup = argv[1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	check(!pipe(to) && !pipe(from), "pipe");
	a = fork();
	check(a >= 0, "fork");
	if (!a) {
		mem = mergeable();
		(void)!write(from[1], &c, 1);
		(void)!read(to[0], &c, 1);
		rows = read_blocks(mem);
		(void)!write(from[1], &rows, 1);
		pause();
	}
	mem = mergeable();
	(void)!read(from[0], &c, 1);
	put(KSM "pages_to_scan", "10000");
	put(KSM "sleep_millisecs", "5");
	put(KSM "run", "1");
	for (int tries = 0; tries < 1200 && get(KSM "pages_sharing") < PAGES; tries++)
		usleep(50000);
	put(KSM "run", "0");
	check(get(KSM "pages_sharing") == PAGES, "not merged");
	page_out(mem);
	fprintf(stderr, "%zu of %lu are in memory\n", present(mem), PAGES);
	(void)!write(to[1], &c, 1);
	check(read(from[0], &rows, 1) == 1, "A");
	printf("rows %s\n", rows ? "yes" : "none");
	for (size_t i = 0; i < PAGES; i++) {
		uint64_t x = i * 2 + 1;
		bool same = true;

		for (size_t j = 0; j < PAGE / 8; j++)
			same &= ((uint64_t *)(mem + i * PAGE))[j] == next(&x);
		wrong += !same;
	}
	kill(a, SIGKILL);
	waitpid(a, NULL, 0);
	page_out(mem);
	printf("stuck %zu\n", present(mem));
	printf("wrong %zu\n", wrong);
	return 0;
}
