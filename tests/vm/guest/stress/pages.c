// SPDX-License-Identifier: GPL-2.0
/* Pages whose every byte is determined by owner, page and generation. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "stress.h"

#define MAGIC 0x7a73776170746573ULL


static const char *const kinds[] = { "zeros", "one word", "text", "random" };

unsigned char *mem;
size_t pages;
bool shared;
uint32_t me;

struct mark marks[WORKER_PAGES];
static unsigned char want[PAGE] __attribute__((aligned(PAGE)));
static unsigned char other[PAGE] __attribute__((aligned(PAGE)));

static void make(unsigned char *page, struct mark mark, size_t index)
{
	static const char words[8][9] = { "compress", "swapping", " of the ", "\tif (ret",
					  "pages\t/*", "\n\treturn", "folio = ", "struct x" };
	uint64_t *to = (uint64_t *)page;
	uint64_t x = mark.owner * 0x9e3779b97f4a7c15ULL ^ index << 32 ^ (mark.generation * 2 + 1);

	if (mark.kind == ZERO) {
		memset(page, 0, PAGE);
		return;
	}
	to[0] = MAGIC;
	to[1] = (uint64_t)mark.owner << 32 | index;
	to[2] = (uint64_t)mark.generation << 2 | mark.kind;
	next(&x);
	next(&x);
	for (size_t i = 3; i < PAGE / 8; i++) {
		uint64_t r = mark.kind == WORD ? x : next(&x);

		if (mark.kind == TEXT && r >> 61) /* seven words of eight */
			memcpy(&to[i], words[r & 7], 8);
		else
			to[i] = r;
	}
}

/* Describes what a page has instead of its expected contents, and whether that is a whole page. */
static const char *found(const unsigned char *page, size_t index)
{
	static char text[160];
	const uint64_t *head = (const uint64_t *)page;
	struct mark mark = { head[1] >> 32, head[2] >> 2, head[2] & 3 };
	size_t same = 0;

	memset(other, 0, PAGE);
	if (!memcmp(page, other, PAGE))
		return "nothing but zeros is there";
	if (head[0] != MAGIC)
		return "no page of ours is there";
	make(other, mark, (uint32_t)head[1]);
	while (same < PAGE && page[same] == other[same])
		same++;
	snprintf(text, sizeof(text), "%s of owner %u, page %u%s, generation %u (%s) is there",
		 same == PAGE ? "all" : "the beginning", mark.owner, (uint32_t)head[1],
		 (uint32_t)head[1] == index ? " (this one)" : "", mark.generation,
		 kinds[mark.kind]);
	return text;
}

static void wrong(size_t index, const char *when)
{
	static unsigned char is[PAGE];
	struct mark mark = marks[index];
	const uint64_t *head = (const uint64_t *)is;
	size_t first = PAGE, differ = 0;

	memcpy(is, mem + index * PAGE, PAGE);
	for (size_t i = PAGE; i--;) {
		if (is[i] != want[i]) {
			first = i;
			differ++;
		}
	}
	count(WRONG);
	if (mark.kind == ZERO && head[0] == MAGIC && (uint32_t)head[1] == index)
		count(OLD_ZERO);
	if (counted(WRONG) > REPORTS)
		return;
	if (first == PAGE)
		say("WRONG %s, %s: page %zu differed, and doesn't at a second look",
		    role, when, index);
	else
		say("WRONG %s, %s: page %zu, %s of owner %u, generation %u: byte %zu is %02x, "
		    "not %02x; %zu differ; %s", role, when, index, kinds[mark.kind], mark.owner,
		    mark.generation, first, is[first], want[first], differ, found(is, index));
}

void write_pages(size_t first, size_t n, int zeros)
{
	for (size_t i = first; i < first + n; i++) {
		unsigned long r = roll(16);

		marks[i].owner = me;
		marks[i].generation++;
		marks[i].kind = zeros ? ZERO : !r ? RANDOM : r < 3 ? WORD : r < 5 ? ZERO : TEXT;
		make(want, marks[i], i);
		memcpy(mem + i * PAGE, want, PAGE);
	}
}

void compare(size_t first, size_t n, const char *when)
{
	for (size_t i = first; i < first + n; i++) {
		make(want, marks[i], i);
		if (memcmp(mem + i * PAGE, want, PAGE)) {
			wrong(i, when);
			write_pages(i, 1, false); /* so that it is counted once */
		}
		count(COMPARED);
	}
}

void advise(size_t first, size_t n, int advice)
{
	/* EAGAIN: memory was short, which is no error for advice. */
	if (madvise(mem + first * PAGE, n * PAGE, advice) && errno != EAGAIN)
		fault("madvise", errno);
}

void map(size_t n, bool huge)
{
	unsigned char *area = mmap(NULL, n * PAGE + HUGE, PROT_READ | PROT_WRITE,
				   (shared ? MAP_SHARED : MAP_PRIVATE) |
					   MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		die("mmap");
	mem = (unsigned char *)(((uintptr_t)area + HUGE - 1) & ~(HUGE - 1));
	pages = n;
	me = __atomic_add_fetch(&all->owners, 1, __ATOMIC_RELAXED);
	advise(0, n, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	if (mlock(marks, sizeof(marks)) || mlock(want, PAGE) || mlock(other, PAGE))
		die("mlock");
}
