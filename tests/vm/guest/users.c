// SPDX-License-Identifier: GPL-2.0
/*
 * Who has to do with swapped pages: fork, shared memory, KSM, huge pages, userfaultfd and so on.
 * Plays one scene, in a memory cgroup of its own, and says in one line what it has seen. Every
 * byte is compared whenever pages have been moved: a wrong one ends the scene, as does a minute.
 *
 *   users SCENE [ARGUMENT]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096UL
#define HUGE (2UL << 20)
#define HUGE_PAGES (HUGE / PAGE)
#define GROUP "/cg/users"
#define THP "/sys/kernel/mm/transparent_hugepage/"
#define KSM "/sys/kernel/mm/ksm/"

#define SWAPPED (1ULL << 62) /* in pagemap */
#define KPF_SWAPCACHE 13 /* in kpageflags */

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define HEAP (64UL << 10) /* for files that are read line by line */
#define ZERO 0
#define GONE UINT32_MAX

/* Memory, and what each of its pages must be: ZERO, GONE, or the seed of a pattern. */
struct area {
	unsigned char *mem;
	size_t pages;
	uint32_t *seeds;
};

static int pagemap;
static const char *step = "start";

/* --- Saying it ------------------------------------------------------------ */

static __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
	static const char *comma = "";
	va_list args;

	printf("%s", comma);
	comma = ", ";
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

static __attribute__((noreturn)) void die(const char *what)
{
	say("%s: %s: %s\n", step, what, strerror(errno));
	exit(1);
}

static void write_to(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(file);
	close(fd);
}

static long read_from(const char *file)
{
	char text[32] = "";
	int fd = open(file, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die(file);
	close(fd);
	return atol(text);
}

/* The number that comes after a name in a file of names and numbers. */
static long number_in(const char *file, const char *name)
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

static long vmstat(const char *name)
{
	return number_in("/proc/vmstat", name);
}

static long folio_stat(long kib, const char *name)
{
	char file[120];

	snprintf(file, sizeof(file), THP "hugepages-%ldkB/stats/%s", kib, name);
	return read_from(file);
}

/* --- Memory ----------------------------------------------------------------- */

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Every page another: most compress, one of sixteen doesn't, one is zero. */
static void make_page(uint64_t *to, uint32_t seed, size_t index)
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

static void same(const unsigned char *mem, uint32_t seed, size_t index)
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

static void check_page(const struct area *a, size_t i)
{
	if (a->seeds[i] != GONE)
		same(a->mem + i * PAGE, a->seeds[i], i);
}

static void check(const struct area *a, const char *now)
{
	step = now;
	for (size_t i = 0; i < a->pages; i++)
		check_page(a, i);
}

static void touch(const struct area *a, size_t i)
{
	(void)*(volatile unsigned char *)(a->mem + i * PAGE);
}

static void fill_page(struct area *a, size_t i, uint32_t seed)
{
	a->seeds[i] = seed;
	make_page((uint64_t *)(a->mem + i * PAGE), seed, i);
}

/* Each step-th page from first on. */
static void fill(struct area *a, size_t first, size_t every, uint32_t seed)
{
	for (size_t i = first; i < a->pages; i += every)
		if (a->seeds[i] != GONE)
			fill_page(a, i, seed);
}

/* Addresses for so many pages, aligned as the largest folio is. */
static unsigned char *room(size_t pages)
{
	unsigned char *area = mmap(NULL, pages * PAGE + 2 * HUGE, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		die("mmap");
	return (unsigned char *)(((uintptr_t)area + HUGE - 1) & ~(HUGE - 1));
}

/* Of the file fd, or of nobody else if that is -1. */
static struct area map(size_t pages, int fd)
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

static void advise(const struct area *a, size_t first, size_t n, int advice, const char *name)
{
	if (madvise(a->mem + first * PAGE, n * PAGE, advice))
		die(name);
}
#define ADVISE(a, first, n, advice) advise(a, first, n, advice, #advice)
#define ADVISE_ALL(a, advice) advise(a, 0, (a)->pages, advice, #advice)

static struct area anon(size_t pages, bool huge)
{
	struct area a = map(pages, -1);

	if (huge)
		ADVISE_ALL(&a, MADV_HUGEPAGE);
	else
		ADVISE_ALL(&a, MADV_NOHUGEPAGE);
	return a;
}

static struct area shared(size_t pages, int *fd)
{
	*fd = memfd_create("users", 0);
	if (*fd < 0 || ftruncate(*fd, pages * PAGE))
		die("memfd_create");
	return map(pages, *fd);
}

/* --- Where it is ------------------------------------------------------------ */

static uint64_t page_entry(const struct area *a, size_t i)
{
	uint64_t entry;

	if (pread(pagemap, &entry, 8, ((uintptr_t)a->mem / PAGE + i) * 8) != 8)
		die("pagemap");
	return entry;
}

static bool is_swapped(const struct area *a, size_t i)
{
	return page_entry(a, i) & SWAPPED;
}

static uint64_t slot(const struct area *a, size_t i)
{
	return page_entry(a, i) >> 5 & ((1ULL << 50) - 1);
}

/* Pages of private memory whose page table entry is that of a slot. */
static size_t swapped(const struct area *a)
{
	static uint64_t entries[512];
	size_t count = 0;

	for (size_t i = 0; i < a->pages; i += 512) {
		ssize_t n = a->pages - i < 512 ? a->pages - i : 512;

		if (pread(pagemap, entries, n * 8, ((uintptr_t)a->mem / PAGE + i) * 8) != n * 8)
			die("pagemap");
		while (n--)
			count += entries[n] >> 62 & 1;
	}
	return count;
}

/* What mincore() says is there: in memory, or in the swap cache. */
static size_t resident(const struct area *a)
{
	static unsigned char there[8192];
	size_t count = 0;

	if (a->pages > sizeof(there) || mincore(a->mem, a->pages * PAGE, there))
		die("mincore");
	for (size_t i = 0; i < a->pages; i++)
		count += there[i] & 1;
	return count;
}

/* The page frames that are in the swap cache: how many, and into there which, if it is given. */
static size_t cached(bool *there)
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

static bool settled(void)
{
	return !vmstat("nr_writeback");
}

/* Waits for it, for up to 20 s. */
static bool soon(bool (*what)(void))
{
	for (int i = 0; i < 2000; i++) {
		if (what())
			return true;
		usleep(10000);
	}
	return false;
}

/* --- Pushing it out ---------------------------------------------------------- */

static void reclaim(void)
{
	int fd = open(GROUP "/memory.reclaim", O_WRONLY);

	/* It never is as much: EAGAIN. */
	if (fd < 0 || (write(fd, "32M swappiness=max", 18) < 0 && errno != EAGAIN))
		die("memory.reclaim");
	close(fd);
}

/*
 * By reclaim, for what others have as well, until so many are there. What is active isn't
 * reclaimed before statistics say so, which lag by two seconds.
 */
static size_t squeeze(const struct area *a, size_t (*there)(const struct area *), size_t want)
{
	for (int tries = 0; tries < 400 && there(a) != want; tries++) {
		reclaim();
		if (tries > 10)
			usleep(10000);
	}
	return there(a);
}

static size_t in_memory(const struct area *a)
{
	return a->pages - swapped(a);
}

/* Out of the swap cache, too, where pages stay that were written to a disk. */
static void drop(void)
{
	for (int tries = 0; tries < 100 && cached(NULL); tries++) {
		reclaim();
		if (tries > 10)
			usleep(30000);
	}
}

static void out_some(const struct area *a, size_t first, size_t n)
{
	ADVISE(a, first, n, MADV_PAGEOUT);
}

static size_t out(const struct area *a)
{
	/* A page that somebody holds for a moment is passed over. */
	for (int tries = 0; tries < 5 && in_memory(a); tries++)
		out_some(a, 0, a->pages);
	return swapped(a);
}

static void leave(void)
{
	write_to("/cg/cgroup.procs", "0");
}

/* --- Children ------------------------------------------------------------------ */

static pid_t spawn(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		alarm(60);
	return child;
}

/* How many of the children ended well. */
static int reap(int n)
{
	int good = 0, status;

	while (n--)
		if (wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
			good++;
	return good;
}

static __attribute__((noreturn)) void end_child(void)
{
	fflush(stdout);
	_exit(0);
}

static void any_cpu(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}

/* --- Scenes: private memory ------------------------------------------------------ */

#define CHILDREN 40 /* more users of a slot than its word can count */

static void scene_fork(void)
{
	struct area a = anon(256, false);
	int go[2];

	fill(&a, 0, 1, 1);
	say("out %zu", out(&a));
	if (pipe(go))
		die("pipe");
	for (int i = 0; i < CHILDREN; i++) {
		char byte;

		if (spawn())
			continue;
		any_cpu();
		close(go[1]);
		if (read(go[0], &byte, 1)) /* waits for the end of the pipe */
			die("read");
		check(&a, "in a child");
		fill(&a, i % 3, 3, 2 + i);
		check(&a, "written in a child");
		end_child();
	}
	/* In, and out again while the children's page tables have the slots. */
	check(&a, "with children");
	say("again %zu", a.pages - squeeze(&a, in_memory, 0));
	drop();
	fill(&a, 1, 4, 100);
	check(&a, "written with children");
	close(go[1]);
	say("children %d", reap(CHILDREN));
	check(&a, "after the children");
	say("out %zu", out(&a));
	check(&a, "at the end");
	say("same");
}

/* Both have the page when it is pushed out. */
static void scene_cow(void)
{
	struct area a = anon(1024, false);
	int go[2], done[2];
	char byte = 0;

	fill(&a, 0, 1, 1);
	if (pipe(go) || pipe(done))
		die("pipe");
	if (!spawn()) {
		if (read(go[0], &byte, 1) != 1)
			die("read");
		check(&a, "in the child");
		fill(&a, 0, 2, 2);
		check(&a, "written in the child");
		if (write(done[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1)
			die("write");
		check(&a, "in the child, after the parent has written");
		end_child();
	}
	say("out %zu", a.pages - squeeze(&a, in_memory, 0));
	fill(&a, 0, 3, 3);
	if (write(go[1], &byte, 1) != 1 || read(done[0], &byte, 1) != 1)
		die("write");
	check(&a, "in the parent");
	say("again %zu", a.pages - squeeze(&a, in_memory, 0));
	if (write(go[1], &byte, 1) != 1)
		die("write");
	say("child %d", reap(1));
	check(&a, "at the end");
	say("same");
}

static bool racing;

static void *pusher(void *area)
{
	struct area *a = area;

	any_cpu();
	while (__atomic_load_n(&racing, __ATOMIC_RELAXED)) {
		out_some(a, 0, a->pages);
		reclaim();
	}
	return NULL;
}

static void scene_forking(void)
{
	struct area a = anon(512, false);
	pthread_t thread;
	int good = 0;

	fill(&a, 0, 1, 1);
	racing = true;
	if (pthread_create(&thread, NULL, pusher, &a))
		die("pthread_create");
	for (int round = 0; round < 12; round++) {
		if (!spawn()) {
			any_cpu();
			check(&a, "in a child");
			fill(&a, round % 2, 2, 100 + round);
			check(&a, "written in a child");
			end_child();
		}
		fill(&a, round % 5, 5, 2 + round);
		check(&a, "with a child");
		if (round % 3 == 2)
			good += reap(3);
	}
	__atomic_store_n(&racing, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	check(&a, "after the children");
	say("children %d, same", good);
}

static long merged_want;

static bool merged(void)
{
	return read_from(KSM "pages_sharing") == merged_want;
}

static void scene_ksm(void)
{
	struct area a = anon(512, false), b = anon(512, false);

	fill(&a, 0, 1, 1);
	fill(&b, 0, 1, 1);
	ADVISE_ALL(&a, MADV_MERGEABLE);
	ADVISE_ALL(&b, MADV_MERGEABLE);
	write_to(KSM "smart_scan", "0");
	write_to(KSM "pages_to_scan", "4096");
	write_to(KSM "sleep_millisecs", "1");
	write_to(KSM "run", "1");
	/* One of each pair; and of the zero pages all but one. */
	merged_want = 480 + 63;
	soon(merged);
	say("merged %ld", read_from(KSM "pages_sharing"));
	write_to(KSM "run", "0");
	squeeze(&a, in_memory, 0);
	squeeze(&b, in_memory, 0);
	say("out %zu", swapped(&a) + swapped(&b));
	drop();
	check(&a, "merged, out and in");
	check(&b, "merged, out and in, the other");
	fill(&a, 0, 5, 2);
	check(&a, "written");
	check(&b, "written in the other");

	write_to(KSM "run", "1");
	merged_want = 0;
	for (size_t i = 0; i < a.pages; i++)
		merged_want += i % 5 && i % 16 != 7;
	merged_want += 63;
	soon(merged);
	say("merged again %s", merged() ? "yes" : "no");
	squeeze(&a, in_memory, 0);
	squeeze(&b, in_memory, 0);
	/* Half of it comes back before, half is still swapped when all is unmerged. */
	for (size_t i = 0; i < a.pages; i += 2)
		check_page(&a, i);
	write_to(KSM "run", "2");
	say("unmerged %ld", read_from(KSM "pages_sharing"));
	check(&a, "unmerged");
	check(&b, "unmerged, the other");
	write_to(KSM "run", "0");
	say("same");
}

/* --- Scenes: huge pages ------------------------------------------------------------ */

static long swapped_whole(long kib)
{
	return folio_stat(kib, "swpout") + folio_stat(kib, "zswpout");
}

static void out_whole(struct area *a)
{
	long before = swapped_whole(2048);
	size_t pages = out(a);

	say("out %zu in %ld", pages, swapped_whole(2048) - before);
}

static void forget(struct area *a, size_t first, size_t n)
{
	ADVISE(a, first, n, MADV_DONTNEED);
	for (size_t i = first; i < first + n; i++)
		a->seeds[i] = ZERO;
}

static void unmap(struct area *a, size_t first, size_t n)
{
	if (munmap(a->mem + first * PAGE, n * PAGE))
		die("munmap");
	for (size_t i = first; i < first + n; i++)
		a->seeds[i] = GONE;
}

#define HUGE_ONES 3

static struct area huge_area(void)
{
	struct area a = anon(HUGE_ONES * HUGE_PAGES, true);

	fill(&a, 0, 1, 1);
	ADVISE_ALL(&a, MADV_NOHUGEPAGE); /* once in parts, it stays so */
	return a;
}

/* Some of it comes back, some is given back, while it is swapped. */
static void scene_thp_parts(void)
{
	struct area a = huge_area();

	out_whole(&a);
	step = "some pages";
	for (size_t i = 0; i < a.pages; i += 7)
		check_page(&a, i);
	fill(&a, 3, 11, 2);
	check(&a, "parts came back");
	say("out %zu", out(&a));
	for (size_t i = 0; i < HUGE_ONES; i++) {
		forget(&a, i * HUGE_PAGES + 5, 1);
		forget(&a, i * HUGE_PAGES + 64, 100);
		unmap(&a, i * HUGE_PAGES + 300, 17);
	}
	check(&a, "parts given back");
	say("same");
}

/* Mapped in part only, it is split when memory is wanted. */
static void scene_thp_deferred(void)
{
	struct area a = huge_area();
	long deferred = folio_stat(2048, "split_deferred"), split = vmstat("thp_split_page");

	for (size_t i = 0; i < a.pages; i += 4)
		forget(&a, i, 1);
	say("deferred %ld", folio_stat(2048, "split_deferred") - deferred);
	/* What is zero becomes the zero page when it is split. */
	say("out %zu", a.pages - squeeze(&a, in_memory, a.pages / 4 + a.pages / 16));
	say("split %ld", vmstat("thp_split_page") - split);
	check(&a, "split and swapped");
	say("same");
}

static void scene_thp_moved(void)
{
	struct area a = huge_area();
	size_t size = a.pages * PAGE;
	unsigned char *to = room(a.pages) + 64 * PAGE;

	out_whole(&a);
	if (mremap(a.mem, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		die("mremap");
	a.mem = to;
	say("moved %zu", swapped(&a));
	check(&a, "moved");
	say("same");
}

/* Split while it is in the swap cache, where it stays after it is written to a disk. */
static void scene_thp_split(void)
{
	struct area a = huge_area();
	long split = vmstat("thp_split_page");
	char where[80];

	out_whole(&a);
	soon(settled);
	say("cached %zu", cached(NULL));
	for (size_t i = 0; i < a.pages; i += HUGE_PAGES)
		check_page(&a, i + 5);
	snprintf(where, sizeof(where), "%d,0x%lx,0x%lx", getpid(), (unsigned long)a.mem,
		 (unsigned long)(a.mem + a.pages * PAGE));
	write_to("/sys/kernel/debug/split_huge_pages", where);
	say("split %ld, cached %zu", vmstat("thp_split_page") - split, cached(NULL));
	check(&a, "split");
	fill(&a, 0, 3, 2);
	say("out %zu", out(&a));
	soon(settled);
	drop();
	check(&a, "out again");
	say("same");
}

static long anon_huge(void)
{
	return number_in("/proc/self/smaps_rollup", "AnonHugePages");
}

static long huge_want;

static bool all_huge(void)
{
	return anon_huge() == huge_want;
}

static struct area swapped_in_parts(void)
{
	struct area a = anon(2 * HUGE_PAGES, false);

	fill(&a, 0, 1, 1);
	out_some(&a, 10, 200);
	out_some(&a, HUGE_PAGES, 1);
	ADVISE_ALL(&a, MADV_HUGEPAGE);
	say("swapped %zu", swapped(&a));
	return a;
}

static void scene_collapse(void)
{
	struct area a = swapped_in_parts();
	long before = anon_huge();

	ADVISE_ALL(&a, MADV_COLLAPSE);
	say("huge %ld KiB", anon_huge() - before);
	check(&a, "collapsed");
	say("out %zu", out(&a));
	/* Now that it is all swapped. */
	ADVISE_ALL(&a, MADV_COLLAPSE);
	say("swapped %zu", swapped(&a));
	check(&a, "collapsed again");
	say("same");
}

static void scene_khugepaged(void)
{
	struct area a = swapped_in_parts();
	long before = anon_huge();

	write_to(THP "khugepaged/max_ptes_swap", "511");
	write_to(THP "khugepaged/pages_to_scan", "4096");
	write_to(THP "khugepaged/alloc_sleep_millisecs", "10");
	write_to(THP "khugepaged/scan_sleep_millisecs", "10");
	huge_want = before + 4096;
	soon(all_huge);
	write_to(THP "khugepaged/scan_sleep_millisecs", "1000000000");
	say("huge %ld KiB, swapped %zu", anon_huge() - before, swapped(&a));
	check(&a, "collapsed");
	say("out %zu", out(&a));
	check(&a, "at the end");
	say("same");
}

static void scene_collapse_shared(void)
{
	int fd;
	struct area a = shared(2 * HUGE_PAGES, &fd);

	fill(&a, 0, 1, 1);
	say("there %zu", squeeze(&a, resident, 0));
	ADVISE_ALL(&a, MADV_COLLAPSE);
	say("huge %ld KiB", number_in("/proc/self/smaps_rollup", "ShmemPmdMapped"));
	check(&a, "collapsed");
	say("same");
}

/* --- Scenes: more than a page at once ------------------------------------------------ */

/* Read whole where zswap never was. */
static void scene_large(const char *argument)
{
	long kib = atol(argument), pages = kib * 1024 / PAGE;
	struct area a = anon(1024, true);
	long in, back = 0;

	fill(&a, 0, 1, 1);
	say("out %zu", out(&a));
	soon(settled);
	drop();
	in = folio_stat(kib, "swpin");
	for (size_t i = 0; i < a.pages; i += pages) {
		check_page(&a, i + pages / 2);
		for (long k = 0; k < pages; k++)
			back += !is_swapped(&a, i + k);
	}
	say("back %ld in %ld", back, folio_stat(kib, "swpin") - in);
	check(&a, "in");
	fill(&a, 1, 3, 2);
	say("out %zu", out(&a));
	check(&a, "out again");
	say("same");
}

#define BATCH 16 /* pages of 64 KiB */

static bool in_a_row(const struct area *a)
{
	for (size_t i = 1; i < a->pages; i++)
		if (slot(a, i) != slot(a, 0) + i)
			return false;
	return true;
}

/* Pages of 4 KiB to addresses where they could come back in one of 64 KiB. */
static void line_up(struct area *a)
{
	size_t size = a->pages * PAGE;
	unsigned char *to = room(a->pages + BATCH);

	/* Not where one cluster of slots ends and another begins. */
	for (int tries = 0; tries < 8 && !in_a_row(a); tries++) {
		for (size_t i = 0; i < a->pages; i++)
			touch(a, i);
		out(a);
	}
	if (!in_a_row(a))
		say("slots not in a row");
	to += slot(a, 0) % BATCH * PAGE;
	if (mremap(a->mem, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		die("mremap");
	a->mem = to;
	ADVISE_ALL(a, MADV_HUGEPAGE);
}

/* How many pages come back when of each 64 KiB one is read. */
static size_t back(struct area *a)
{
	line_up(a);
	for (size_t i = 0; i < a->pages; i++)
		if (((uintptr_t)a->mem / PAGE + i) % BATCH == 0)
			touch(a, i);
	return a->pages - swapped(a);
}

/* Pages of 4 KiB that lie as those of a folio would, all but those at the ends. */
static void scene_lined_up(const char *argument)
{
	struct area a = anon(10 * BATCH, false);
	bool zero = !strcmp(argument, "zero"), one = !strcmp(argument, "one-zero");
	size_t pages;

	/* A page that is zero is known by a mark of its slot: it can't come with others. */
	for (size_t i = 0; i < a.pages; i++)
		fill_page(&a, i, zero ? ZERO : 1);
	for (size_t i = 7; i < a.pages && !zero && !one; i += 16) {
		memset(a.mem + i * PAGE, 1, PAGE);
		a.seeds[i] = GONE;
	}
	say("out %zu", out(&a));
	pages = back(&a);
	say("%s", pages >= 9 * BATCH ? "whole" : pages <= 10 ? "one by one" : "in parts");
	check(&a, "back");
	say("same");
}

/* Pages of two cgroups don't become one folio, which would be one's. */
static void scene_two_cgroups(void)
{
	struct area a = anon(10 * BATCH, false);
	size_t pages;

	if (mkdir("/cg/users2", 0755))
		die("mkdir");
	for (size_t i = 0; i < a.pages; i++) {
		write_to(i % 2 ? "/cg/users2/cgroup.procs" : GROUP "/cgroup.procs", "0");
		fill_page(&a, i, 1);
		if (i % 16 == 7) {
			memset(a.mem + i * PAGE, 1, PAGE);
			a.seeds[i] = GONE;
		}
	}
	write_to(GROUP "/cgroup.procs", "0");
	say("out %zu", out(&a));
	say("theirs %ld", read_from("/cg/users2/memory.swap.current") / 4096);
	pages = back(&a);
	say("%s", pages <= 10 ? "one by one" : "together");
	check(&a, "back");
	for (size_t i = 0; i < a.pages; i++)
		touch(&a, i);
	say("left %ld, same", read_from("/cg/users2/memory.swap.current") / 4096);
	munmap(a.mem, a.pages * PAGE);
	if (rmdir("/cg/users2"))
		die("rmdir");
}

/* One of sixteen is back already: the others can't come whole. */
static void scene_one_is_back(void)
{
	struct area a = anon(1024, true);
	long in;

	fill(&a, 0, 1, 1);
	say("out %zu", out(&a));
	ADVISE_ALL(&a, MADV_NOHUGEPAGE);
	for (size_t i = 3; i < a.pages; i += BATCH)
		check_page(&a, i);
	ADVISE_ALL(&a, MADV_HUGEPAGE);
	in = folio_stat(64, "swpin");
	check(&a, "in");
	say("whole %ld, same", folio_stat(64, "swpin") - in);
}

/* There is no memory for a large folio: the fault takes a page. */
static void scene_fallback(void)
{
	static const char *const set[][2] = {
		{ "verbose", "0" }, { "ignore-gfp-wait", "N" }, { "ignore-gfp-highmem", "N" },
		{ "task-filter", "Y" }, { "min-order", "4" }, { "times", "-1" },
		{ "probability", "100" },
	};
	struct area a = anon(1024, true);
	char file[80];
	long in, fallback;

	fill(&a, 0, 1, 1);
	say("out %zu", out(&a));
	for (size_t i = 0; i < sizeof(set) / sizeof(*set); i++) {
		snprintf(file, sizeof(file), "/sys/kernel/debug/fail_page_alloc/%s", set[i][0]);
		write_to(file, set[i][1]);
	}
	in = folio_stat(64, "swpin");
	fallback = folio_stat(64, "swpin_fallback");
	write_to("/proc/self/make-it-fail", "1");
	check(&a, "in");
	write_to("/proc/self/make-it-fail", "0");
	write_to("/sys/kernel/debug/fail_page_alloc/probability", "0");
	say("whole %ld, fallback %ld, same", folio_stat(64, "swpin") - in,
	    folio_stat(64, "swpin_fallback") - fallback);
}

/* Where there is no room left in the cgroup, none is made for a large folio, but for a page. */
static void scene_over_limit(void)
{
	struct area a = map(1024, -1);
	char max[32];
	long fallback, failed;

	fill(&a, 0, 1, 1);
	say("out %zu", out(&a));
	fallback = folio_stat(64, "swpin_fallback_charge");
	/* A quarter of it. */
	snprintf(max, sizeof(max), "%ld", read_from(GROUP "/memory.current") + a.pages / 4 * PAGE);
	write_to(GROUP "/memory.max", max);
	check(&a, "in");
	write_to(GROUP "/memory.max", "max");
	failed = folio_stat(64, "swpin_fallback_charge") - fallback;
	check(&a, "in again");
	say("charge fallback %s, same", failed ? "yes" : "no");
}

static void scene_large_shared(const char *argument)
{
	long kib = atol(argument), in;
	int fd;
	struct area a = shared(1024, &fd);

	fill(&a, 0, 1, 1);
	say("there %zu", squeeze(&a, resident, 0));
	in = folio_stat(kib, "swpin");
	check(&a, "in");
	say("in %ld, same", folio_stat(kib, "swpin") - in);
}

/* --- Scenes: shared memory --------------------------------------------------------------- */

static void check_file(const struct area *a, int fd, const char *now)
{
	static unsigned char page[PAGE];

	step = now;
	for (size_t i = 0; i < a->pages; i++) {
		if (pread(fd, page, PAGE, i * PAGE) != (ssize_t)PAGE)
			die("pread");
		same(page, a->seeds[i], i);
	}
}

static void scene_shared(void)
{
	int fd;
	struct area a = shared(1024, &fd), b = map(a.pages, fd);

	fill(&a, 0, 1, 1);
	say("there %zu", squeeze(&a, resident, 0));
	b.seeds = a.seeds;
	check(&b, "by another mapping");
	fill(&b, 0, 3, 2);
	say("there %zu", squeeze(&a, resident, 0));
	check_file(&a, fd, "by read()");
	squeeze(&a, resident, 0);

	/* By one process, written by another. */
	if (!spawn()) {
		fill(&b, 1, 3, 3);
		check(&b, "in the child");
		end_child();
	}
	for (size_t i = 1; i < a.pages; i += 3)
		a.seeds[i] = 3;
	say("child %d", reap(1));
	check(&a, "after the child");

	squeeze(&a, resident, 0);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 100 * PAGE, 333 * PAGE))
		die("fallocate");
	for (size_t i = 100; i < 433; i++)
		a.seeds[i] = ZERO;
	/* Not in the midst of 64 KiB: if that is swapped whole, mm/shmem.c goes on for ever. */
	if (ftruncate(fd, 768 * PAGE) || ftruncate(fd, a.pages * PAGE))
		die("ftruncate");
	for (size_t i = 768; i < a.pages; i++)
		a.seeds[i] = ZERO;
	check(&a, "with a hole");
	check_file(&a, fd, "with a hole, by read()");
	say("same");
}

/* --- Scenes: userfaultfd ----------------------------------------------------------------- */

static struct {
	int fd;
	struct area *area;
	uint32_t seed;
	long missing, protected;
} uffd;

static void uffd_copy(size_t i)
{
	static uint64_t page[PAGE / 8];
	struct uffdio_copy copy = {
		.dst = (uintptr_t)uffd.area->mem + i * PAGE, .src = (uintptr_t)page, .len = PAGE,
	};

	make_page(page, uffd.seed, i);
	if (ioctl(uffd.fd, UFFDIO_COPY, &copy))
		die("UFFDIO_COPY");
}

static void uffd_protect(size_t first, size_t n, bool protect)
{
	struct uffdio_writeprotect wp = {
		.range = { (uintptr_t)uffd.area->mem + first * PAGE, n * PAGE },
		.mode = protect ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	if (ioctl(uffd.fd, UFFDIO_WRITEPROTECT, &wp))
		die("UFFDIO_WRITEPROTECT");
}

static void *handler(void *unused)
{
	struct uffd_msg msg;

	while (read(uffd.fd, &msg, sizeof(msg)) == sizeof(msg)) {
		size_t i = (msg.arg.pagefault.address - (uintptr_t)uffd.area->mem) / PAGE;

		if (msg.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP) {
			uffd.protected++;
			uffd_protect(i, 1, false);
		} else {
			uffd.missing++;
			uffd_copy(i);
		}
	}
	return unused;
}

static void uffd_watch(struct area *a, uint64_t mode)
{
	struct uffdio_register reg = {
		.range = { (uintptr_t)a->mem, a->pages * PAGE }, .mode = mode,
	};

	if (ioctl(uffd.fd, UFFDIO_REGISTER, &reg))
		die("UFFDIO_REGISTER");
}

static void uffd_open(uint64_t features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };

	uffd.fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (uffd.fd < 0 || ioctl(uffd.fd, UFFDIO_API, &api))
		die("userfaultfd");
}

static void scene_uffd(void)
{
	struct area a = anon(256, false);
	static unsigned char page[PAGE];
	struct uffdio_copy copy = {
		.dst = (uintptr_t)a.mem, .src = (uintptr_t)page, .len = PAGE,
	};
	pthread_t thread;

	uffd_open(UFFD_FEATURE_PAGEFAULT_FLAG_WP);
	uffd_watch(&a, UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP);
	uffd.area = &a;
	uffd.seed = 1;
	if (pthread_create(&thread, NULL, handler, NULL))
		die("pthread_create");
	for (size_t i = 0; i < a.pages; i++)
		a.seeds[i] = 1;
	check(&a, "copied");
	say("missing %ld", uffd.missing);

	/* A swapped page is not missing, and can't be copied over. */
	say("out %zu", out(&a));
	say("copy: %s", ioctl(uffd.fd, UFFDIO_COPY, &copy) ? strerror(errno) : "done");
	check(&a, "swapped");
	say("missing %ld", uffd.missing);

	/* Write protection outlives being swapped. */
	uffd_protect(0, a.pages, true);
	out(&a);
	check(&a, "protected and swapped");
	out(&a);
	fill(&a, 0, 4, 2);
	say("protected %ld", uffd.protected);
	check(&a, "written");

	out(&a);
	ADVISE(&a, 128, 128, MADV_DONTNEED);
	uffd.seed = 3;
	for (size_t i = 128; i < a.pages; i++)
		a.seeds[i] = 3;
	check(&a, "given back");
	say("missing %ld", uffd.missing);
	say("same");
}

/* Moves pages of which some are swapped, and some in the swap cache as well. */
static void scene_uffd_move(void)
{
	struct area a = anon(256, false), b = anon(256, false);
	struct uffdio_move move = {
		.dst = (uintptr_t)b.mem, .src = (uintptr_t)a.mem, .len = a.pages * PAGE,
		.mode = 0,
	};

	fill(&a, 0, 1, 1);
	uffd_open(UFFD_FEATURE_MOVE);
	uffd_watch(&b, UFFDIO_REGISTER_MODE_MISSING);
	out(&a);
	drop();
	for (size_t i = 0; i < 64; i++)
		check_page(&a, i);
	ADVISE(&a, 64, 64, MADV_WILLNEED);
	say("swapped %zu, cached %s", swapped(&a), cached(NULL) >= 64 ? "yes" : "no");
	while (move.len) {
		int ret = ioctl(uffd.fd, UFFDIO_MOVE, &move);

		if (ret && move.move <= 0 && errno != EAGAIN)
			die("UFFDIO_MOVE");
		if (!ret)
			break;
		if (move.move > 0) {
			move.dst += move.move;
			move.src += move.move;
			move.len -= move.move;
		}
		move.move = 0;
	}
	say("moved %zu", swapped(&b));
	for (size_t i = 0; i < a.pages; i++) {
		b.seeds[i] = 1;
		a.seeds[i] = ZERO;
	}
	check(&b, "moved");
	check(&a, "where it was");
	say("out %zu", out(&b));
	check(&b, "moved and swapped");
	say("same");
}

/* --- Scenes: the swap cache seen from outside ----------------------------------------------- */

static long major(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

static void willneed(struct area *a, size_t first)
{
	long before, base = cached(NULL);

	say("there %zu", resident(a));
	ADVISE(a, first, a->pages / 2, MADV_WILLNEED);
	soon(settled);
	/* Reading takes its time, and mincore() knows when it is done. */
	for (int i = 0; i < 500 && resident(a) != a->pages / 2; i++)
		usleep(10000);
	say("there %zu, cached %zu", resident(a), cached(NULL) - base);
	before = major();
	step = "after MADV_WILLNEED";
	for (size_t i = first; i < first + a->pages / 2; i++)
		check_page(a, i);
	say("major %ld", major() - before);
	check(a, "all of it");
}

static void scene_willneed(void)
{
	struct area a = anon(512, false);

	fill(&a, 0, 1, 1);
	out(&a);
	soon(settled);
	drop();
	willneed(&a, 128);
	say("same");
}

static void scene_willneed_shared(void)
{
	int fd;
	struct area a = shared(512, &fd);

	fill(&a, 0, 1, 1);
	squeeze(&a, resident, 0);
	soon(settled);
	drop();
	willneed(&a, 128);
	say("same");
}

#define FRAMES (1UL << 21)

/* Compaction moves pages that are in the swap cache, and in no page table. */
static void scene_compact(void)
{
	static bool before[FRAMES], after[FRAMES];
	struct area a = anon(8192, false), between = anon(3 * a.pages, false);
	size_t moved = 0, still = 0;

	fill(&a, 0, 1, 1);
	out(&a);
	soon(settled);
	drop();
	/*
	 * 16 pages of each 64 frames or so, wherever these are, and free ones between them: a block
	 * that is free as a whole is no place for compaction to move pages to.
	 */
	for (size_t i = 0; i < a.pages; i += 16) {
		ADVISE(&a, i, 16, MADV_WILLNEED);
		memset(between.mem + 3 * i * PAGE, 1, 3 * 16 * PAGE);
	}
	munmap(between.mem, between.pages * PAGE);
	soon(settled);
	say("there %zu, swapped %zu, cached %zu", resident(&a), swapped(&a), cached(before));
	for (int tries = 0; tries < 20 && moved < a.pages / 8; tries++) {
		write_to("/proc/sys/vm/compact_memory", "1");
		still = cached(after);
		moved = 0;
		for (size_t i = 0; i < FRAMES; i++)
			moved += before[i] && !after[i];
	}
	say("moved %s, cached %zu", moved >= a.pages / 8 ? "yes" : "no", still);
	check(&a, "moved");
	say("out %zu", out(&a));
	check(&a, "moved and swapped");
	say("same");
}

/* --- Scenes: swapoff ------------------------------------------------------------------------ */

static void *checker(void *area)
{
	any_cpu();
	while (__atomic_load_n(&racing, __ATOMIC_RELAXED))
		check(area, "while swapoff runs");
	return NULL;
}

/* Of what a process has, what its child has too, what is shared, and what is in the swap cache. */
static void scene_swapoff(const char *device)
{
	int fd, go[2];
	struct area a = anon(1024, false), b = anon(512, false), huge = anon(HUGE_PAGES, true);
	struct area s = shared(1024, &fd), racy = anon(1024, false);
	pthread_t thread;
	char byte = 0;

	fill(&a, 0, 1, 1);
	fill(&b, 0, 1, 2);
	fill(&huge, 0, 1, 3);
	fill(&s, 0, 1, 4);
	fill(&racy, 0, 1, 5);
	if (pipe(go))
		die("pipe");
	if (!spawn()) {
		if (read(go[0], &byte, 1) != 1)
			die("read");
		check(&b, "in the child");
		fill(&b, 0, 2, 6);
		check(&b, "written in the child");
		end_child();
	}
	/* The child has it all, so that MADV_PAGEOUT would pass it over. */
	for (int tries = 0; tries < 100; tries++) {
		if (!in_memory(&a) && !in_memory(&b) && !in_memory(&huge) && !resident(&s))
			break;
		reclaim();
		usleep(30000);
	}
	say("there %zu", in_memory(&a) + in_memory(&b) + in_memory(&huge) + resident(&s));
	ADVISE(&a, 0, 300, MADV_WILLNEED);
	racing = true;
	if (pthread_create(&thread, NULL, checker, &racy))
		die("pthread_create");
	step = "swapoff";
	if (swapoff(device))
		die(device);
	__atomic_store_n(&racing, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	say("swapped %zu", swapped(&a) + swapped(&b) + swapped(&huge) + swapped(&racy));
	say("cached %zu", cached(NULL));
	if (write(go[1], &byte, 1) != 1)
		die("write");
	say("child %d", reap(1));
	check(&a, "after swapoff");
	check(&b, "after swapoff, the child's too");
	check(&huge, "after swapoff, huge");
	check(&s, "after swapoff, shared");
	check(&racy, "after swapoff, racing");
	say("same");
}

/* --- Scenes: reading ahead ------------------------------------------------------------------- */

#define AHEAD 512

/* The i-th page that is read. */
static size_t place(const char *pattern, size_t i)
{
	static uint64_t x;

	if (!strcmp(pattern, "sequential"))
		return i;
	if (!strcmp(pattern, "backward"))
		return AHEAD - 1 - i;
	if (!strncmp(pattern, "stride", 6)) {
		size_t stride = atol(pattern + 6);

		return i * stride < AHEAD ? i * stride : AHEAD;
	}
	if (strcmp(pattern, "random")) {
		errno = EINVAL;
		die(pattern);
	}
	if (!i)
		x = 88172645463325252ULL;
	return next(&x) >> 20 & (AHEAD - 1);
}

/* What comes of reading a pattern: how many were read ahead, of them wanted; slow faults. */
static void ahead(struct area *a, const char *pattern)
{
	long ra, hit, faults;

	soon(settled);
	drop();
	ra = vmstat("swap_ra");
	hit = vmstat("swap_ra_hit");
	faults = major();
	step = pattern;
	for (size_t i = 0; i < AHEAD; i++)
		if (place(pattern, i) < AHEAD)
			check_page(a, place(pattern, i));
	faults = major() - faults;
	ra = vmstat("swap_ra") - ra;
	hit = vmstat("swap_ra_hit") - hit;
	say("read ahead %ld, hit %ld, major %ld", ra, hit, faults);
	check(a, "all of it");
	say("same");
}

static void scene_ahead(const char *pattern)
{
	struct area a = anon(AHEAD, false);

	fill(&a, 0, 1, 1);
	out(&a);
	ahead(&a, pattern);
}

/* Pages that are next to each other in memory are 83 slots or more apart. */
static void scene_ahead_scattered(const char *pattern)
{
	struct area a = anon(AHEAD, false);

	fill(&a, 0, 1, 1);
	for (size_t i = 0; i < AHEAD; i++)
		out_some(&a, i * 37 % AHEAD, 1);
	out(&a);
	ahead(&a, pattern);
}

static void scene_ahead_shared(const char *pattern)
{
	int fd;
	struct area a = shared(AHEAD, &fd);

	fill(&a, 0, 1, 1);
	squeeze(&a, resident, 0);
	ahead(&a, pattern);
}

static const struct {
	const char *name;
	void (*play)(void);
	void (*play_with)(const char *argument);
} scenes[] = {
	{ "fork", scene_fork, NULL },
	{ "cow", scene_cow, NULL },
	{ "forking", scene_forking, NULL },
	{ "ksm", scene_ksm, NULL },
	{ "thp-parts", scene_thp_parts, NULL },
	{ "thp-deferred", scene_thp_deferred, NULL },
	{ "thp-moved", scene_thp_moved, NULL },
	{ "thp-split", scene_thp_split, NULL },
	{ "collapse", scene_collapse, NULL },
	{ "khugepaged", scene_khugepaged, NULL },
	{ "collapse-shared", scene_collapse_shared, NULL },
	{ "large", NULL, scene_large },
	{ "lined-up", NULL, scene_lined_up },
	{ "two-cgroups", scene_two_cgroups, NULL },
	{ "one-is-back", scene_one_is_back, NULL },
	{ "fallback", scene_fallback, NULL },
	{ "over-limit", scene_over_limit, NULL },
	{ "large-shared", NULL, scene_large_shared },
	{ "shared", scene_shared, NULL },
	{ "uffd", scene_uffd, NULL },
	{ "uffd-move", scene_uffd_move, NULL },
	{ "willneed", scene_willneed, NULL },
	{ "willneed-shared", scene_willneed_shared, NULL },
	{ "compact", scene_compact, NULL },
	{ "swapoff", NULL, scene_swapoff },
	{ "ahead", NULL, scene_ahead },
	{ "ahead-scattered", NULL, scene_ahead_scattered },
	{ "ahead-shared", NULL, scene_ahead_shared },
};

int main(int argc, char **argv)
{
	cpu_set_t first;

	setvbuf(stdout, NULL, _IOFBF, 4096);
	/* A fault that fails for ever ends here, too. */
	alarm(60);
	/* So that its pages are in the LRU batches of the CPU where reclaim looks for them. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	if (pagemap < 0)
		die("pagemap");
	/* Its own memory isn't swapped: what would be read ahead with it confuses the counts. */
	free(malloc(HEAP));
	if (mlockall(MCL_CURRENT))
		die("mlockall");
	if (mkdir(GROUP, 0755) && errno != EEXIST)
		die("mkdir");
	write_to(GROUP "/cgroup.procs", "0");
	for (size_t i = 0; argc > 1 && i < sizeof(scenes) / sizeof(*scenes); i++) {
		if (strcmp(argv[1], scenes[i].name) || argc != 2 + !!scenes[i].play_with)
			continue;
		if (scenes[i].play)
			scenes[i].play();
		else
			scenes[i].play_with(argv[2]);
		puts("");
		leave();
		return 0;
	}
	fprintf(stderr, "usage: users SCENE [ARGUMENT]\n");
	return 2;
}
