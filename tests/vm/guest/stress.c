// SPDX-License-Identifier: GPL-2.0
/*
 * stress SECONDS SEED SWAP DISK...: everything that can happen to zswap, at once, for so long.
 * SWAPs are ready for swapon; DISK is the block device that one is on.
 *
 * Workers, each in a memory cgroup smaller than its memory, write, push out, read back, zero,
 * give away and fork it, and know what every byte must be: it follows from the owner, the page
 * and its generation, which begin the page. So a wrong one can be said from where it came.
 * Meanwhile agents move limits, reclaim, flip parameters and folio sizes, take swaps and CPU 1
 * away and bring them back, and let cgroups come and go with what is charged to them.
 * What they do follows from SEED; when, from the scheduler.
 *
 * Ends with both swaps off and a last look at all pages, and a table that has each count on a
 * line of its own, name first. The exit status is 0 if nothing was wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096UL
#define HUGE (2UL << 20)
#define SWAPPED (1ULL << 62) /* in the page map */
#define CG "/cg/stress"
#define PARAM "/sys/module/zswap/parameters/"
#define THP "/sys/kernel/mm/transparent_hugepage/"
#define MAGIC 0x7a73776170746573ULL

#define WORKERS 5
#define WORKER_PAGES 4096UL
#define SWAPS 2
#define REPORTS 20 /* wrong pages and faults that are described, of all that are counted */

enum {
	COMPARED, WRONG, OLD_ZERO, KILLED, FAULTS, FORKS, REFUSED, CGROUPS, CPUS, LIMITS, RECLAIMS,
	FLIPS, COUNTS
};

static const char *const names[COUNTS] = {
	"compared", "wrong", "old_behind_zero", "killed", "faults", "forks", "swapoffs_refused",
	"cgroups", "cpu_flips", "limits_set", "reclaims", "flips",
};

static const char *const kernels[] = {
	"zswpout", "zswpin", "zswpwb", "pswpout", "pswpin", "swpout_zero", "swpin_zero",
};

/* Seen by all processes, and never swapped. */
static struct {
	unsigned long count[COUNTS];
	unsigned long swapoffs[SWAPS], back[SWAPS];
	unsigned long swapped;
	unsigned int owners;
	bool stop, last;
} *all;

static struct {
	const char *path, *disk;
} swaps[SWAPS];

static int nr_swaps;

/* Seconds without a page that is swapped or compared. */
static unsigned long patience = 90;

static uint64_t dice;
static const char *role = "stress";

/* --- Small things ---------------------------------------------------------------------- */

static void count(int what)
{
	__atomic_add_fetch(&all->count[what], 1, __ATOMIC_RELAXED);
}

static unsigned long counted(int what)
{
	return __atomic_load_n(&all->count[what], __ATOMIC_RELAXED);
}

static bool over(bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* One write, so that lines of several processes don't mix. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[400];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(1, line, n) != n)
		_exit(1);
}

/* What a system call shouldn't have said. */
static void fault(const char *what, int error)
{
	count(FAULTS);
	if (counted(FAULTS) <= REPORTS)
		say("FAULT %s: %s: %s", role, what, strerror(error));
}

static void die(const char *what)
{
	fault(what, errno);
	_exit(1);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

/* In milliseconds. */
static uint64_t now(void)
{
	return now_us() / 1000;
}

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* 0 to n - 1 */
static unsigned long roll(unsigned long n)
{
	return (next(&dice) >> 16) % n;
}

static bool one_in(unsigned long n)
{
	return !roll(n);
}

/* Up to so many milliseconds. */
static void rest(unsigned long ms)
{
	for (uint64_t end = now() + roll(ms) + 1; now() < end && !over(&all->stop);)
		usleep(5000);
}

/* One write(2) of a short text: 0 or the errno. */
static int put(const char *text, const char *format, ...)
{
	char path[200];
	int fd, error = 0;
	va_list args;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		error = errno;
	if (fd >= 0)
		close(fd);
	return error;
}

/* The number after a word at the start of a line; with no word, the first in the file. */
static unsigned long number(const char *path, const char *word)
{
	char line[400];
	size_t n = word ? strlen(word) : 0;
	unsigned long value = 0;
	FILE *file = fopen(path, "r");

	while (file && fgets(line, sizeof(line), file)) {
		if (!word || (!strncmp(line, word, n) && (line[n] == ' ' || line[n] == '\t'))) {
			value = strtoul(line + n, NULL, 10);
			break;
		}
	}
	if (file)
		fclose(file);
	return value;
}

/* --- Pages whose every byte is known ------------------------------------------------------ */

enum kind { ZERO, WORD, TEXT, RANDOM };
static const char *const kinds[] = { "zeros", "one word", "text", "random" };

struct mark {
	uint32_t owner; /* who wrote the page */
	uint32_t generation : 30, kind : 2;
};

static unsigned char *mem;
static size_t pages;
static bool shared;
static uint32_t me;

/* Never swapped, but for a child's. */
static struct mark marks[WORKER_PAGES];
static unsigned char want[PAGE] __attribute__((aligned(4096)));
static unsigned char other[PAGE] __attribute__((aligned(4096)));

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

/* Says what is in a page instead of what was wanted, and whether it is whole. */
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

static void write_pages(size_t first, size_t n, int zeros)
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

static void compare(size_t first, size_t n, const char *when)
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

static void advise(size_t first, size_t n, int advice)
{
	/* EAGAIN: memory was short, which is nothing wrong with advice. */
	if (madvise(mem + first * PAGE, n * PAGE, advice) && errno != EAGAIN)
		fault("madvise", errno);
}

static void map(size_t n, bool huge)
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

static int reap(int flags)
{
	int status;
	pid_t pid = waitpid(-1, &status, flags);

	if (pid <= 0)
		return 0;
	if (WIFSIGNALED(status)) {
		count(KILLED);
		say("KILLED a child of %s, by signal %d (%s)", role, WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	}
	return 1;
}

static pid_t begin(const char *as, unsigned long number)
{
	static char name[60];
	uint64_t own = next(&dice) * 0x9e3779b97f4a7c15ULL | 1;
	char text[60];
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	snprintf(text, sizeof(text), "%s%s%lu", as, strchr(as, ' ') ? ", child " : " ", number);
	strcpy(name, text);
	role = name;
	dice = own;
	return 0;
}

static void join(const char *format, unsigned long number)
{
	char group[40];
	int error;

	snprintf(group, sizeof(group), format, number);
	error = put("0", CG "/%s/cgroup.procs", group);
	if (error)
		fault("cgroup.procs", error);
}

/* --- Workers ------------------------------------------------------------------------------ */

/*
 * Pages that another thread reads at the moment they are being pushed out, between being unmapped
 * and leaving memory: so they stay in the swap cache, and what was stored of them in zswap. Their
 * next content makes that old.
 */
static struct {
	size_t first, n;
} hot;

static int pagemap;

static bool is_swapped(size_t page)
{
	uint64_t entry;

	if (pread(pagemap, &entry, 8, ((uintptr_t)mem / PAGE + page) * 8) != 8)
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
			/* Too early, and it isn't stored; too late, and it is gone. */
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

static void split_off(void)
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

static void worker(unsigned long nr)
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

/* --- Agents -------------------------------------------------------------------------------- */

#define PICK(list) ((list)[roll(sizeof(list) / sizeof(*(list)))])

static void limits(void)
{
	static const char *const percents[] = { "1", "1", "2", "20", "20", "0" };
	static const char *const accepts[] = { "90", "90", "100", "50", "0" };
	static const char *const bytes[] = { "max", "max", "0", "1M", "4M" };
	char text[24];
	int error;

	while (!over(&all->stop)) {
		switch (roll(6)) {
		case 0:
		case 1:
			error = put(PICK(percents), PARAM "max_pool_percent");
			break;
		case 2:
			error = put(PICK(accepts), PARAM "accept_threshold_percent");
			break;
		case 3:
			error = put(PICK(bytes), CG "/w%lu/memory.zswap.max", roll(WORKERS));
			break;
		case 4: /* in MiB: what is compressed has to fit beside what isn't */
			snprintf(text, sizeof(text), "%luM",
				 WORKER_PAGES * PAGE / 100 * (70 + roll(30)) >> 20);
			error = put(text, CG "/w%lu/memory.max", roll(WORKERS));
			break;
		default:
			error = put(one_in(3) ? "8M" : "max", CG "/memory.zswap.max");
		}
		if (error)
			fault("limit", error);
		count(LIMITS);
		rest(200);
	}
	/* For what comes back at the end. */
	for (int i = 0; i < WORKERS; i++)
		if (put("max", CG "/w%d/memory.max", i))
			fault("the last limit", errno);
}

static void reclaim(void)
{
	char text[24];
	int error;

	while (!over(&all->stop)) {
		snprintf(text, sizeof(text), "%luK", (1 + roll(32)) * 256);
		if (one_in(12)) /* all shrinkers of all cgroups */
			error = put(one_in(2) ? "2" : "3", "/proc/sys/vm/drop_caches");
		else if (one_in(4))
			error = put(text, CG "/memory.reclaim");
		else
			error = put(text, CG "/w%lu/memory.reclaim", roll(WORKERS));
		if (error && error != EAGAIN) /* less than was asked for */
			fault("reclaim", error);
		count(RECLAIMS);
		rest(100);
	}
}

static int folios(const char *size)
{
	int error = put(one_in(2) ? "madvise" : "never", "%s/enabled", size);

	return error ?: put(one_in(2) ? "advise" : "never", "%s/shmem_enabled", size);
}

static void flips(void)
{
	static const char *const compressors[] = {
		"lz4", "lzo", "lzo-rle", "zstd", "deflate", "842",
	};
	glob_t sizes;
	int error;

	if (glob(THP "hugepages-*kB/enabled", 0, NULL, &sizes))
		die("folio sizes");
	for (size_t i = 0; i < sizes.gl_pathc; i++)
		*strrchr(sizes.gl_pathv[i], '/') = 0;
	while (!over(&all->stop)) {
		switch (roll(5)) {
		case 0:
		case 1:
			error = put(PICK(compressors), PARAM "compressor");
			break;
		case 2:
			error = put(one_in(2) ? "Y" : "N", PARAM "shrinker_enabled");
			break;
		case 3:
			error = put("N", PARAM "enabled");
			rest(1000);
			if (!error)
				error = put("Y", PARAM "enabled");
			break;
		default:
			error = 0;
			for (size_t i = 0; i < sizes.gl_pathc && !error; i++)
				error = folios(sizes.gl_pathv[i]);
		}
		if (error)
			fault("flip", error);
		count(FLIPS);
		rest(400);
	}
}

static unsigned long used(const char *path)
{
	char line[200], name[100];
	unsigned long kib = 0, size;
	FILE *file = fopen("/proc/swaps", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%99s %*s %lu %lu", name, &size, &kib) == 3 && !strcmp(name, path))
			break;
	if (file)
		fclose(file);
	return kib / 4;
}

static bool swap_off(int i)
{
	unsigned long back = used(swaps[i].path);

	if (swapoff(swaps[i].path)) {
		if (errno != ENOMEM) /* what is there may not fit */
			fault("swapoff", errno);
		count(REFUSED);
		return false;
	}
	__atomic_add_fetch(&all->swapoffs[i], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&all->back[i], back, __ATOMIC_RELAXED);
	return true;
}

/* Both at the same priority, so that pages go to both. */
static void swap_on(int i)
{
	if (swapon(swaps[i].path, SWAP_FLAG_PREFER | 5))
		fault("swapon", errno);
}

/* One after the other: pages need somewhere to go. */
static void swapping(void)
{
	while (!over(&all->stop)) {
		int i = roll(nr_swaps);

		rest(6000);
		if (!swap_off(i))
			continue;
		rest(500);
		swap_on(i);
	}
}

static void cpus(void)
{
	static const char file[] = "/sys/devices/system/cpu/cpu1/online";
	int error;

	while (!over(&all->stop)) {
		rest(3000);
		error = put("0", file);
		if (error && error != EBUSY)
			fault("CPU 1 down", error);
		if (!error)
			count(CPUS);
		rest(1500);
		error = put("1", file);
		if (error)
			fault("CPU 1 up", error);
	}
}

/* One that comes, puts memory into zswap, and is removed with it. */
static void cgroup(void)
{
	char group[40];
	size_t n;

	snprintf(group, sizeof(group), CG "/t%d", getpid());
	if (mkdir(group, 0755))
		die(group);
	if (put("0", "%s/cgroup.procs", group))
		die("cgroup.procs");
	map(300 + roll(700), one_in(2));
	if (one_in(4) && put(one_in(2) ? "0" : "1M", "%s/memory.zswap.max", group))
		die("memory.zswap.max");
	if (one_in(4) && put("0", "%s/memory.zswap.writeback", group))
		die("memory.zswap.writeback");
	write_pages(0, pages, false);
	advise(0, pages, MADV_PAGEOUT);
	n = roll(pages);
	compare(0, n, "in a new cgroup");
	if (one_in(2)) {
		split_off();
		write_pages(0, n, one_in(3));
		reap(0);
	}
	advise(0, pages, MADV_PAGEOUT);
	join("rest", 0);
	for (int tries = 0; rmdir(group); tries++) {
		if (errno != EBUSY || tries == 100)
			die("rmdir");
		usleep(10000);
	}
	count(CGROUPS);
	if (!one_in(4))
		compare(0, pages, "after its cgroup");
	_exit(0);
}

static void cgroups(void)
{
	for (unsigned long n = 0; !over(&all->stop); n++) {
		if (!begin("transient", n))
			cgroup();
		reap(0);
		rest(100);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} agents[] = {
	{ "limits", limits }, { "reclaim", reclaim }, { "flips", flips }, { "swaps", swapping },
	{ "cpus", cpus }, { "cgroups", cgroups }, { "cgroups", cgroups },
};

#define AGENTS (sizeof(agents) / sizeof(*agents))

/* --- The whole ------------------------------------------------------------------------------ */

static pid_t pids[WORKERS + AGENTS + 1];
static int alive;

static const char *who(size_t i)
{
	if (i == WORKERS + AGENTS)
		return "ending";
	return i < WORKERS ? "worker" : agents[i - WORKERS].name;
}

/* The parent of all knows each of its children. */
static void attend(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		size_t i = 0;

		while (i <= WORKERS + AGENTS && pids[i] != pid)
			i++;
		if (i > WORKERS + AGENTS)
			continue; /* who reports */
		pids[i] = 0;
		alive--;
		if (!status)
			continue;
		count(WIFSIGNALED(status) ? KILLED : FAULTS);
		say("%s %s %zu: %s", WIFSIGNALED(status) ? "KILLED" : "FAULT",
		    who(i), i, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "gave up");
	}
}

static void stuck(void)
{
	char path[40], where[1000];

	count(FAULTS);
	say("STUCK: nothing has moved for %lu s", patience);
	for (size_t i = 0; i <= WORKERS + AGENTS; i++) {
		FILE *file;
		size_t n;

		if (!pids[i])
			continue;
		snprintf(path, sizeof(path), "/proc/%d/stack", pids[i]);
		file = fopen(path, "r");
		n = file ? fread(where, 1, sizeof(where) - 1, file) : 0;
		where[n] = 0;
		for (char *c = where; *c; c++)
			if (*c == '\n')
				*c = ' ';
		say("%s %zu: %.300s", who(i), i, where);
		if (file)
			fclose(file);
	}
	kill(0, SIGKILL); /* those that wait for the end of all output, too */
}

static unsigned long limit_hits(void)
{
	return number("/sys/kernel/debug/zswap/pool_limit_hit", NULL);
}

static unsigned long vmstat(const char *name)
{
	return number("/proc/vmstat", name);
}

static unsigned long large(void)
{
	unsigned long sum = 0;
	glob_t files;

	if (glob(THP "hugepages-*kB/stats/zswpout", 0, NULL, &files))
		return 0;
	for (size_t i = 0; i < files.gl_pathc; i++)
		sum += number(files.gl_pathv[i], NULL);
	globfree(&files);
	return sum;
}

static void progress(uint64_t ms)
{
	unsigned long in = vmstat("zswpin"), read = vmstat("pswpin");

	say("%4lu s: zswap out %lu in %lu back %lu, disk out %lu in %lu, limit hits %lu, "
	    "swapoffs %lu, cgroups %lu, CPU flips %lu, forks %lu; compared %lu, wrong %lu, killed %lu",
	    ms / 1000, vmstat("zswpout"), in, vmstat("zswpwb"), vmstat("pswpout"), read,
	    limit_hits(), all->swapoffs[0] + all->swapoffs[1], counted(CGROUPS),
	    counted(CPUS), counted(FORKS), counted(COMPARED), counted(WRONG), counted(KILLED));
	__atomic_store_n(&all->swapped, in + read, __ATOMIC_RELAXED);
}

/* In a process of its own: it may have to wait, for a CPU that goes down. */
static void report(uint64_t start)
{
	for (;;) {
		sleep(20);
		progress(now() - start);
	}
}

static unsigned long moved(void)
{
	return counted(COMPARED) + __atomic_load_n(&all->swapped, __ATOMIC_RELAXED);
}

/* Until so many children are left, or nothing moves for too long. */
static void watch(uint64_t end, int left)
{
	unsigned long before = moved();
	uint64_t last = now();

	while (now() < end && alive > left) {
		usleep(100000);
		attend();
		if (now() - last > patience * 1000) {
			if (moved() == before)
				stuck();
			before = moved();
			last = now();
		}
	}
}

static void table(void)
{
	say("\n%-12s %9s %12s %12s %10s",
	    "swap", "swapoffs", "pages_back", "MiB_written", "MiB_read");
	for (int i = 0; i < nr_swaps; i++) {
		char path[60];
		unsigned long sectors[7] = {};
		FILE *file;

		snprintf(path, sizeof(path), "/sys/block/%s/stat", swaps[i].disk);
		file = fopen(path, "r");
		for (int f = 0; file && f < 7; f++)
			if (fscanf(file, "%lu", &sectors[f]) != 1)
				break;
		if (file)
			fclose(file);
		say("%-12s %9lu %12lu %12lu %10lu", swaps[i].path, all->swapoffs[i], all->back[i],
		    sectors[6] >> 11, sectors[2] >> 11);
	}
	say("%s", "");
	for (int i = 0; i < COUNTS; i++)
		say("%-18s %12lu", names[i], all->count[i]);
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		say("%-18s %12lu", kernels[i], vmstat(kernels[i]));
	say("%-18s %12lu", "large_folios", large());
	say("%-18s %12lu", "limit_hits", limit_hits());
}

static void groups(void)
{
	char path[40];

	if (mkdir(CG, 0755) || put("+memory", CG "/cgroup.subtree_control") ||
	    mkdir(CG "/rest", 0755))
		die(CG);
	for (int i = 0; i < WORKERS; i++) {
		snprintf(path, sizeof(path), CG "/w%d", i);
		if (mkdir(path, 0755) || put("14M", "%s/memory.max", path))
			die(path);
	}
}

/* All comes back. */
static void ending(void)
{
	for (int i = 0; i < nr_swaps; i++)
		if (!swap_off(i))
			fault("the last swapoff", ENOMEM);
	_exit(0);
}

int main(int argc, char **argv)
{
	uint64_t start, end;
	pid_t reporter;

	if (argc < 5 || argc > 3 + 2 * SWAPS || argc % 2 == 0) {
		fprintf(stderr, "usage: stress SECONDS SEED SWAP DISK...\n");
		return 2;
	}
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED || mlock(all, sizeof(*all)))
		return 1;
	dice = strtoull(argv[2], NULL, 10) * 2 + 1;
	for (int i = 3; i < argc; i += 2) {
		swaps[nr_swaps].path = argv[i];
		swaps[nr_swaps].disk = argv[i + 1];
		swap_on(nr_swaps++);
	}
	groups();

	start = now();
	end = start + strtoull(argv[1], NULL, 10) * 1000;
	if (patience < (end - start) / 2000)
		patience = (end - start) / 2000;
	for (size_t i = 0; i < WORKERS + AGENTS; i++) {
		pids[i] = begin(who(i), i);
		if (!pids[i] && i < WORKERS)
			worker(i);
		if (!pids[i]) {
			agents[i - WORKERS].run();
			_exit(0);
		}
		alive++;
	}
	reporter = begin("report", 0);
	if (!reporter)
		report(start);
	watch(end, 0);

	/* The agents end, then all comes back, then the workers look at it. */
	say("ending: nothing new is begun");
	__atomic_store_n(&all->stop, true, __ATOMIC_RELEASE);
	watch(-1, WORKERS);
	say("ending: all comes back");
	pids[WORKERS + AGENTS] = begin(who(WORKERS + AGENTS), 0);
	if (!pids[WORKERS + AGENTS])
		ending();
	alive++;
	watch(-1, WORKERS);
	say("ending: all is compared");
	__atomic_store_n(&all->last, true, __ATOMIC_RELEASE);
	watch(-1, 0);
	kill(reporter, SIGKILL);
	progress(now() - start);
	table();
	return counted(WRONG) || counted(KILLED) || counted(FAULTS);
}
