// SPDX-License-Identifier: GPL-2.0
/*
 * A process with memory to swap, controlled by commands on standard input, each
 * answered with one line. It knows what every byte of its memory must be and
 * compares all of them: every test relies on `check`.
 *
 *   map PAGES KIB      anonymous memory, KIB (that of a page, 64, 2048) asks for that folio size
 *   node N             memory comes from node N alone from now on
 *   fill KIND SEED     write a pattern: text, random, zero, same (one word again and again),
 *                      last (15 text, 1 random), first (2 random, 14 text), holes (of 128,
 *                      32 text between pages of zeroes: none in the second half),
 *                      mixed (of 16: 8 text, 7 zeroes, 1 random)
 *   load PAGE          fill from the corpus disk, from its page PAGE on
 *   out                MADV_PAGEOUT, repeated while pages stay in memory (see page_out);
 *                      answers "PAGES-SWAPPED NS"
 *   away CPU           read every page once on that CPU, then out; answers as out does
 *   in                 read every page once; answers "PAGES-BACK NS"
 *   poke STEP          change a byte in every STEP-th page
 *   lose STEP          give every STEP-th page back, which makes it zero
 *   keep STEP          give all but every STEP-th page back
 *   scatter SEED       give half of the pages back, one by one in random order: check then
 *                      expects zeroes there; answers how many
 *   push PAGE          MADV_PAGEOUT of one page
 *   apart N            pages whose slot is N after that of the page before them
 *   split              split the large folios that are mapped
 *   sum                a checksum of every byte, read as it is
 *   swapped            pages whose page table entry is a swap entry
 *   check              compare every byte; answers "same PAGES" or "WRONG ..."
 *   fork               a child checks, overwrites, checks; then the parent checks
 *   cycle ROUNDS       out, in, check, and fill with the next seed, again and again; 0: until
 *                      /run/enough is there
 *   race ROUNDS        push out again and again while a thread reads
 *   hold KIB APART     push out folio by folio while a thread reads it, so that it stays
 *                      in memory with its entries; answers how many pages. The simulated
 *                      accelerator must wait for the thread: held_by_reader. With APART
 *                      its last two pages, made zero, are left out (see hold)
 *   wipe KIB APART     zeros over all that was held
 *   wrong              like check; answers how many pages differ
 *   fail OP N          OP is out or in, once, with its N-th allocation failing (see nth.c);
 *                      answers "hit" or "missed", and how many pages are swapped then
 *   readers            a child for each page compares it; answers how many pages were
 *                      the same, not the same, and how many readers were killed by SIGBUS
 *   unmap              give the memory back
 *   quit               end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nth.h"
#include "pages.h"

#define CORPUS "/dev/vdc"
#define CHUNK 64 /* pages read from the corpus disk at a time */

#define MPOL_BIND 2 /* linux/mempolicy.h */

static unsigned char *mem;
static size_t pages;

static enum { TEXT, RANDOM, ZERO, SAME, LAST, FIRST, HOLES, MIXED, DISK } kind;
static const char *const kinds[] = { "text", "random", "zero",	"same",
				     "last", "first",  "holes", "mixed" };
static uint64_t seed; /* of a pattern; of a corpus: its first page */

/* Which pages were given back by scatter since they were filled; NULL for none. */
static bool *gone;

static int disk = -1, pagemap = -1;
/* The expected contents, and the kernel's answers. */
static unsigned char want[CHUNK * PAGE] __attribute__((aligned(PAGE)));
static uint64_t map_entries[CHUNK];

static void die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void make_page(size_t index, uint64_t *to)
{
	static const char words[8][9] = { "compress", "swapping", " of the ", "\tif (ret",
					  "pages\t/*", "\n\treturn", "folio = ", "struct x" };
	uint64_t x = seed * 0x9e3779b97f4a7c15ULL + index * 2 + 1;
	bool random = kind == RANDOM || (kind == LAST && index % 16 == 15) ||
		      (kind == FIRST && index % 16 < 2) || (kind == MIXED && index % 16 == 13);
	bool zero = kind == ZERO ||
		    (kind == HOLES && (index / 64 % 2 || index % 16 < 3 || index % 16 == 7 ||
				       index % 16 > 11)) ||
		    (kind == MIXED && index % 16 % 2 == 0 && index % 16);

	next(&x);
	for (size_t i = 0; i < PAGE / 8; i++) {
		uint64_t r = next(&x);

		if (random)
			to[i] = r;
		else if (zero)
			to[i] = 0;
		else if (kind == SAME)
			to[i] = seed * 0x0101010101010101ULL;
		else if (r >> 62) /* three words of four come from the dictionary */
			memcpy(&to[i], words[r & 7], 8);
		else
			to[i] = r & 0xffffff;
	}
}

/* Puts the expected contents of the n pages from index on into want. */
static void expect(size_t index, size_t n)
{
	if (kind == DISK && pread(disk, want, n * PAGE, (seed + index) * PAGE) != (ssize_t)(n * PAGE))
		die(CORPUS);
	for (size_t i = 0; i < n; i++) {
		if (gone && gone[index + i])
			memset(want + i * PAGE, 0, PAGE);
		else if (kind != DISK)
			make_page(index + i, (uint64_t *)(want + i * PAGE));
	}
}

static size_t chunk_at(size_t i)
{
	return pages - i < CHUNK ? pages - i : CHUNK;
}

static void fill_some(size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i += CHUNK) {
		size_t some = first + n - i < CHUNK ? first + n - i : CHUNK;

		expect(i, some);
		memcpy(mem + i * PAGE, want, some * PAGE);
	}
}

static void fill(void)
{
	free(gone);
	gone = NULL;
	fill_some(0, pages);
}

/* NULL, or where and how memory differs from its expected contents. */
static const char *differs(void)
{
	static char how[120];

	for (size_t i = 0; i < pages; i += CHUNK) {
		size_t n = chunk_at(i) * PAGE;

		expect(i, chunk_at(i));
		if (!memcmp(mem + i * PAGE, want, n))
			continue;
		for (size_t b = 0; b < n; b++) {
			if (mem[i * PAGE + b] == want[b])
				continue;
			snprintf(how, sizeof(how), "WRONG page %zu byte %zu: %02x, not %02x",
				 i + b / PAGE, b % PAGE, mem[i * PAGE + b], want[b]);
			return how;
		}
	}
	return NULL;
}

static size_t swapped(void)
{
	size_t count = 0;

	for (size_t i = 0; i < pages; i += CHUNK) {
		size_t n = chunk_at(i);

		if (!read_pagemap(pagemap, mem + i * PAGE, map_entries, n))
			die("pagemap");
		for (size_t k = 0; k < n; k++)
			count += !!(map_entries[k] & SWAPPED);
	}
	return count;
}

static long vmstat(const char *want)
{
	FILE *file = fopen("/proc/vmstat", "r");
	char name[64];
	long value, found = -1;

	while (file && found < 0 && fscanf(file, "%63s %ld", name, &value) == 2)
		if (!strcmp(name, want))
			found = value;
	if (found < 0)
		die(want);
	fclose(file);
	return found;
}

static long number_in(const char *path)
{
	char text[24] = "";
	int file = open(path, O_RDONLY);

	if (file < 0 || read(file, text, sizeof(text) - 1) <= 0)
		die(path);
	close(file);
	return atol(text);
}

/* Pages in zswap, and of zeroes, which were only marked: those of all processes. */
static long kept(void)
{
	return number_in("/sys/kernel/debug/zswap/stored_pages") + vmstat("swpout_zero");
}

/* Shows every 20 s that a command goes on: a guest that prints nothing for long is taken to hang. */
static void go_on(const char *command, size_t page)
{
	static uint64_t last;

	if (!last || now() - last > 20 * 1000000000ULL) {
		if (last)
			fprintf(stderr, "# %s: page %zu of %zu\n", command, page, pages);
		last = now();
	}
}

/* Waits until no page is under writeback, up to 20 s. */
static void settle(void)
{
	for (int tries = 0; tries < 2000; tries++) {
		refresh_vmstat();
		if (!vmstat("nr_writeback"))
			return;
		usleep(10000);
	}
}

static bool all_out(void)
{
	if (madvise(mem, pages * PAGE, MADV_PAGEOUT))
		die("MADV_PAGEOUT");
	return swapped() == pages;
}

/*
 * MADV_PAGEOUT drains its own CPU's batch of pages that go onto the LRU lists, and skips the up to
 * 31 pages in another CPU's, which that CPU faulted in. So each CPU tries. A page under writeback is
 * skipped, too, however often one tries: the disk may be slow. One that is locked takes time.
 */
static void page_out(void)
{
	cpu_set_t allowed, one;
	bool out = all_out();

	if (out)
		return;
	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int tries = 0; tries < 4 && !out; tries++) {
		for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF) && !out; cpu++) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			/* This fails if the CPU is offline. */
			if (!sched_setaffinity(0, sizeof(one), &one))
				out = all_out();
		}
		if (!out) {
			settle();
			usleep(1000 << 2 * tries);
		}
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

static void page_in(void)
{
	for (size_t i = 0; i < pages; i++)
		(void)*(volatile unsigned char *)(mem + i * PAGE);
}

/* The pages that come back last are in that CPU's batch when they are to go out. */
static void page_in_on(int cpu)
{
	cpu_set_t allowed, one;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
	page_in();
	sched_setaffinity(0, sizeof(allowed), &allowed);
}

static void poke(size_t step)
{
	for (size_t i = 0; i < pages; i += step)
		mem[i * PAGE + i % PAGE]++;
}

static void lose(size_t step)
{
	for (size_t i = 0; i < pages; i += step)
		if (madvise(mem + i * PAGE, PAGE, MADV_DONTNEED))
			die("MADV_DONTNEED");
}

static void keep(size_t step)
{
	for (size_t i = 0; i < pages; i += step) {
		size_t n = pages - i < step ? pages - i : step;

		if (madvise(mem + (i + 1) * PAGE, (n - 1) * PAGE, MADV_DONTNEED))
			die("MADV_DONTNEED");
	}
}

static size_t scatter(uint64_t x)
{
	size_t *order = malloc(pages * sizeof(*order));

	free(gone);
	gone = calloc(pages, sizeof(*gone));
	if (!order || !gone)
		die("scatter");
	for (size_t i = 0; i < pages; i++) {
		size_t k = next(&x) % (i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (size_t i = 0; i < pages / 2; i++) {
		if (madvise(mem + order[i] * PAGE, PAGE, MADV_DONTNEED))
			die("MADV_DONTNEED");
		gone[order[i]] = true;
	}
	free(order);
	return pages / 2;
}

/* The offset of a page's slot, or 0. */
static uint64_t slot(size_t page)
{
	uint64_t entry;

	if (!read_pagemap(pagemap, mem + page * PAGE, &entry, 1))
		die("pagemap");
	return entry & SWAPPED ? (entry & ((1ULL << 55) - 1)) >> 5 : 0;
}

static size_t apart(size_t n)
{
	size_t count = 0;

	for (size_t i = 1; i < pages; i++)
		count += slot(i - 1) && slot(i) == slot(i - 1) + n;
	return count;
}

static void split(void)
{
	char where[80];
	int file = open("/sys/kernel/debug/split_huge_pages", O_WRONLY);
	int len = snprintf(where, sizeof(where), "%d,0x%lx,0x%lx", getpid(), (unsigned long)mem,
			   (unsigned long)(mem + pages * PAGE));

	if (file < 0 || write(file, where, len) != len)
		die("split_huge_pages");
	close(file);
}

/* FNV-1a, a word at a time. */
static uint64_t sum(void)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < pages * PAGE / 8; i++)
		hash = (hash ^ ((uint64_t *)mem)[i]) * 0x100000001b3ULL;
	return hash;
}

static void map(size_t n, unsigned int kib)
{
	unsigned char *area = mmap(NULL, n * PAGE + HUGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		die("mmap");
	mem = (unsigned char *)(((uintptr_t)area + HUGE - 1) & ~(HUGE - 1));
	pages = n;
	free(gone);
	gone = NULL;
	/* A kernel without large folios has neither. */
	if (madvise(mem, n * PAGE, kib > PAGE_KIB ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) &&
	    (kib > PAGE_KIB || errno != EINVAL))
		die("MADV_HUGEPAGE");
}

static const char *forked(void)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (!child) {
		const char *how = differs();

		if (!how) {
			seed++;
			fill();
			how = differs();
		}
		if (how)
			printf("in the child: %s\n", how);
		exit(!!how);
	}
	if (waitpid(child, &status, 0) < 0)
		die("waitpid");
	if (status) /* the child has printed the answer, unless it was killed */
		return WIFSIGNALED(status) ? "WRONG: the child was killed" : "";
	return differs();
}

/* Old content that came back would pass if a round were filled as the one before. */
static const char *cycle(int rounds)
{
	for (int i = 0; rounds ? i < rounds : access("/run/enough", F_OK); i++) {
		const char *how;

		page_out();
		page_in();
		how = differs();
		if (how)
			return how;
		seed++;
		fill();
	}
	return NULL;
}

static bool racing;

static void *reader(void *unused)
{
	/* Stops at once: further reads would undo the race's effect. */
	for (size_t i = 0; __atomic_load_n(&racing, __ATOMIC_RELAXED); i = (i + 1) % pages)
		(void)*(volatile unsigned char *)(mem + i * PAGE);
	return unused;
}

static void race(int rounds)
{
	pthread_t thread;

	racing = true;
	if (pthread_create(&thread, NULL, reader, NULL))
		die("pthread_create");
	while (rounds--)
		if (madvise(mem, pages * PAGE, MADV_PAGEOUT))
			die("MADV_PAGEOUT");
	__atomic_store_n(&racing, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

/*
 * On a synchronous device, the fault that brings back the last page of a folio frees its slots.
 * APART keeps them: the last page is unmapped, so that the rest comes back one by one, and the one
 * before it never comes back.
 */
static struct {
	size_t folio, size; /* in pages; nothing to do when size is 0 */
	long before; /* submitted() before its store */
	bool apart;
} held;

/* The simulated accelerator's requests. */
static long submitted(void)
{
	return number_in("/sys/kernel/debug/zswap_accel/submitted");
}

/* Reads a page of the folio during its store, which takes until this waits for the folio. */
static void *holder(void *unused)
{
	cpu_set_t other;

	CPU_ZERO(&other);
	CPU_SET(1, &other);
	sched_setaffinity(0, sizeof(other), &other);
	while (__atomic_load_n(&racing, __ATOMIC_ACQUIRE)) {
		size_t size = __atomic_load_n(&held.size, __ATOMIC_ACQUIRE);

		if (!size || submitted() == held.before)
			continue;
		if (held.apart)
			madvise(mem + (held.folio + size - 1) * PAGE, PAGE, MADV_DONTNEED);
		(void)*(volatile unsigned char *)(mem + held.folio * PAGE);
		__atomic_store_n(&held.size, 0, __ATOMIC_RELEASE);
	}
	return unused;
}

static bool hold_folio(size_t folio, size_t size)
{
	long before = kept();

	held.folio = folio;
	held.before = submitted();
	__atomic_store_n(&held.size, size, __ATOMIC_RELEASE);
	if (madvise(mem + folio * PAGE, size * PAGE, MADV_PAGEOUT))
		die("MADV_PAGEOUT");
	/* If the folio is freed by now, this loads and so removes an entry. */
	(void)*(volatile unsigned char *)(mem + folio * PAGE);
	/* If there was a request, the reader comes. */
	while (__atomic_load_n(&held.size, __ATOMIC_ACQUIRE) && submitted() != held.before)
		sched_yield();
	__atomic_store_n(&held.size, 0, __ATOMIC_RELEASE);
	return kept() - before == (long)size;
}

static long hold(size_t size, bool apart)
{
	long first = kept(), all = 0, left;
	pthread_t thread;

	held.apart = apart;
	racing = true;
	if (pthread_create(&thread, NULL, holder, NULL))
		die("pthread_create");
	for (size_t i = 0; i < pages; i += size) {
		for (int tries = 0; tries < 20; tries++) {
			go_on("hold", i);
			if (tries)
				madvise(mem + i * PAGE, size * PAGE, MADV_DONTNEED);
			fill_some(i, size);
			if (apart)
				memset(mem + (i + size - 2) * PAGE, 0, 2 * PAGE);
			if (hold_folio(i, size)) {
				all += size;
				break;
			}
		}
	}
	__atomic_store_n(&racing, false, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	/* What failed tries have marked stays in a counter. */
	left = kept() - first;
	return left < all ? left : all;
}

static void wipe(size_t size, bool apart)
{
	for (size_t i = 0; i < pages; i += size)
		memset(mem + i * PAGE, 0, (apart ? size - 2 : size) * PAGE);
	kind = ZERO;
}

static size_t wrong(void)
{
	size_t count = 0;

	for (size_t i = 0; i < pages; i++) {
		expect(i, 1);
		count += !!memcmp(mem + i * PAGE, want, PAGE);
	}
	return count;
}

static void fail(const char *op, unsigned int n)
{
	unsigned int left;

	if (!nth_ready())
		die("fail-nth");
	nth_begin(n);
	if (!strcmp(op, "out"))
		madvise(mem, pages * PAGE, MADV_PAGEOUT);
	else
		page_in();
	left = nth_end(n);
	printf("%s %zu\n", left ? "missed" : "hit", swapped());
}

static void readers(void)
{
	size_t same = 0, other = 0, killed = 0;

	for (size_t i = 0; i < pages; i++) {
		int status;
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (!child) {
			expect(i, 1);
			_exit(!!memcmp(mem + i * PAGE, want, PAGE));
		}
		if (waitpid(child, &status, 0) < 0)
			die("waitpid");
		same += !status;
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;
		other += WIFEXITED(status) && WEXITSTATUS(status);
	}
	printf("same %zu, not %zu, killed %zu\n", same, other, killed);
}

static void command(char *line)
{
	char verb[16] = "", word[16] = "";
	const char *how = NULL;
	unsigned long number = 0;
	uint64_t start = now();

	sscanf(line, "%15s %15s %lu", verb, word, &number);
	if (!strcmp(verb, "map")) {
		map(strtoul(word, NULL, 10), number);
	} else if (!strcmp(verb, "node")) {
		unsigned long nodes = 1UL << atoi(word);

		if (syscall(SYS_set_mempolicy, MPOL_BIND, &nodes, 8 * sizeof(nodes)))
			die("set_mempolicy");
	} else if (!strcmp(verb, "fill")) {
		for (kind = TEXT; kind < DISK && strcmp(word, kinds[kind]);)
			kind++;
		if (kind == DISK)
			die(word);
		seed = number;
		fill();
	} else if (!strcmp(verb, "load")) {
		kind = DISK;
		seed = strtoul(word, NULL, 10);
		fill();
	} else if (!strcmp(verb, "out") || !strcmp(verb, "away")) {
		if (*word)
			page_in_on(atoi(word));
		page_out();
		uint64_t took = now() - start;

		printf("%zu %lu\n", swapped(), took);
		return;
	} else if (!strcmp(verb, "in")) {
		size_t before = swapped();

		start = now();
		page_in();
		uint64_t took = now() - start;

		printf("%zu %lu\n", before - swapped(), took);
		return;
	} else if (!strcmp(verb, "poke")) {
		poke(atoi(word));
	} else if (!strcmp(verb, "lose")) {
		lose(atoi(word));
	} else if (!strcmp(verb, "keep")) {
		keep(atoi(word));
	} else if (!strcmp(verb, "scatter")) {
		printf("%zu\n", scatter(atoi(word)));
		return;
	} else if (!strcmp(verb, "push")) {
		if (madvise(mem + atoi(word) * PAGE, PAGE, MADV_PAGEOUT))
			die("MADV_PAGEOUT");
	} else if (!strcmp(verb, "apart")) {
		printf("%zu\n", apart(atoi(word)));
		return;
	} else if (!strcmp(verb, "split")) {
		split();
	} else if (!strcmp(verb, "sum")) {
		printf("%016lx\n", sum());
		return;
	} else if (!strcmp(verb, "swapped")) {
		printf("%zu\n", swapped());
		return;
	} else if (!strcmp(verb, "check")) {
		how = differs();
		if (!how) {
			printf("same %zu\n", pages);
			return;
		}
	} else if (!strcmp(verb, "fork")) {
		how = forked();
	} else if (!strcmp(verb, "cycle")) {
		how = cycle(atoi(word));
	} else if (!strcmp(verb, "race")) {
		race(atoi(word));
	} else if (!strcmp(verb, "hold")) {
		printf("%ld\n", hold(atoi(word) * 1024 / PAGE, number));
		return;
	} else if (!strcmp(verb, "wipe")) {
		wipe(atoi(word) * 1024 / PAGE, number);
	} else if (!strcmp(verb, "wrong")) {
		printf("%zu\n", wrong());
		return;
	} else if (!strcmp(verb, "fail")) {
		fail(word, number);
		return;
	} else if (!strcmp(verb, "readers")) {
		readers();
		return;
	} else if (!strcmp(verb, "unmap")) {
		if (munmap(mem, pages * PAGE))
			die("munmap");
		pages = 0;
	} else if (!strcmp(verb, "quit")) {
		exit(0);
	} else {
		how = "WRONG command";
	}
	if (how && !*how)
		return;
	puts(how ? how : "done");
}

int main(void)
{
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	setvbuf(stdin, NULL, _IONBF, 0);
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	if (pagemap < 0)
		die("pagemap");
	/* Bypasses the page cache, which would fill up memory. */
	disk = open(CORPUS, O_RDONLY | O_DIRECT);
	/* Only memory mapped from now on is swapped. */
	if (mlockall(MCL_CURRENT))
		die("mlockall");
	puts("ready");
	while (fgets(line, sizeof(line), stdin))
		command(line);
	return 0;
}
