// SPDX-License-Identifier: GPL-2.0
/*
 * contention CPUS KIB same|random|kernel one|own ROUNDS: a process on each CPU, all of which swap memory of their own at
 * the same time, in folios of KIB, which the caller has seen to; in one cgroup or each in its own. What that
 * takes is counted by bench/plugin/contention.c. The content kernel is that of /run/kernel, which compresses to many sizes.
 * Prints a row for each of its windows, in their order,
 *
 *   WAY KIB CONTENT one|own PAGES
 *
 * where PAGES are those of all processes. In each round:
 *
 *   out      MADV_PAGEOUT
 *   in       the first read of each page
 *   free     MADV_DONTNEED of what is swapped out
 *   gone     exit of a process with memory that is swapped out
 *
 * contention prove: windows of which it is known what is to be counted. Prints a row for each,
 *
 *   prove NAME LOCKED TRANSFERS INVALIDATIONS
 *
 * where a + is for a few more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
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

#define PAGE 4096UL
#define PAGES 256UL
#define SIZE (PAGES * PAGE)
#define MOST_CPUS 8
#define TURNS 1000U

/* The plugin's marks: a no-op with a number in it. */
#define MARK(what, cpus) asm volatile(".byte 0x0f, 0x1f, 0x80; .long %c0" : : "i"(0x434d0000 + ((what) << 8) + (cpus)) : "memory")
#define MARK_OF(what, cpus)              \
	do {                             \
		if ((cpus) == 1)         \
			MARK(what, 1);   \
		else if ((cpus) == 2)    \
			MARK(what, 2);   \
		else                     \
			MARK(what, 8);   \
	} while (0)
enum { TRACK = 1, ARM, BEGIN, BEGIN_USER, END };

static const char *const contents[] = { "same", "random", "kernel" };
static enum { SAME, RANDOM, KERNEL } content;
static int kernel = -1;

/* What the processes share, each in lines of its own. */
static struct {
	_Alignas(128) atomic_uint arrived;
	_Alignas(128) unsigned int line[64];
	_Alignas(128) struct timespec time[MOST_CPUS][4]; /* each with a line of its own */
	_Alignas(128) atomic_uint turn;
} *shared;

static unsigned int cpus, cpu, barriers;
static unsigned char *mem;

static void die(const char *what)
{
	printf("contention: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void check(bool good, const char *what)
{
	if (!good) {
		printf("contention: %s\n", what);
		exit(1);
	}
}

static void *anonymous(size_t size, int flags)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void pause_cpu(void) { asm volatile("pause"); }

/* Until all have come this far. They are woken by nobody: each has a CPU. */
static void meet(void)
{
	barriers++;
	atomic_fetch_add(&shared->arrived, 1);
	while (atomic_load(&shared->arrived) < barriers * cpus)
		pause_cpu();
}

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Writes or reads what is to be in a page; no two processes have the same. */
static bool each_word(size_t page, bool write)
{
	uint64_t *at = (uint64_t *)(mem + page * PAGE), same = cpu * PAGES + page + 1;
	uint64_t x = same * 0x9e3779b97f4a7c15ULL;
	static uint64_t words[PAGE / 8];

	/* Not mapped: its unmapping would be in a window. */
	if (content == KERNEL && pread(kernel, words, PAGE, (same - 1) * PAGE) != PAGE)
		die("/run/kernel");

	for (size_t i = 0; i < PAGE / 8; i++) {
		uint64_t word = content == SAME ? same : content == RANDOM ? next(&x) : words[i];

		if (write)
			at[i] = word;
		else if (at[i] != word)
			return false;
	}
	return true;
}

/* Aligned, and with nothing near that it could be joined with. */
static void fill(void)
{
	unsigned char *at = anonymous(2 * SIZE, MAP_PRIVATE | MAP_NORESERVE);

	mem = (unsigned char *)(((uintptr_t)at + SIZE - 1) & ~(SIZE - 1));
	munmap(at, mem - at);
	munmap(mem + SIZE, at + SIZE - mem);
	if (madvise(mem, SIZE, MADV_HUGEPAGE))
		die("MADV_HUGEPAGE");
	for (size_t i = 0; i < PAGES; i++)
		each_word(i, true);
}

static void check_out(void)
{
	static unsigned char in_core[PAGES];

	if (mincore(mem, SIZE, in_core))
		die("mincore");
	for (size_t i = 0; i < PAGES; i++)
		check(!(in_core[i] & 1), "a page isn't swapped out");
}

static void out(void)
{
	if (madvise(mem, SIZE, MADV_PAGEOUT))
		die("MADV_PAGEOUT");
}

static void in(void)
{
	for (size_t i = 0; i < SIZE; i += PAGE)
		*(volatile unsigned char *)(mem + i);
}

static void release(void)
{
	if (madvise(mem, SIZE, MADV_DONTNEED))
		die("MADV_DONTNEED");
}

static void begin(void)
{
	MARK_OF(ARM, cpus);
	meet();
	MARK_OF(BEGIN, cpus);
}

static void end(void)
{
	MARK_OF(END, cpus);
	meet();
}

static void window(void (*act)(void))
{
	begin();
	act();
	end();
}

/* The child's exit is in the window, and so is that its parent, on the same CPU, hears of it. */
static void leave(void)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		fill();
		close(kernel); /* not in the window */
		out();
		check_out();
		begin();
		_exit(0);
	}
	barriers++; /* the child's in begin() */
	check(waitpid(pid, &status, 0) == pid && !status, "a child failed");
	end();
}

static void swap(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		fill();
		window(out);
		check_out();
		window(in);
		for (size_t k = 0; k < PAGES; k++)
			check(each_word(k, false), "memory came back as something else");
		munmap(mem, SIZE);

		fill();
		out();
		check_out();
		window(release);
		munmap(mem, SIZE);

		leave();
	}
}

/* --- Windows whose counts are known ---------------------------------------------------- */

#define USERS(nr)                        \
	do {                             \
		MARK_OF(ARM, nr);        \
		meet();                  \
		MARK_OF(BEGIN_USER, nr); \
	} while (0)

/* Of nine instructions, five are locked; not the exchange of two registers. */
static void prove_locked(void)
{
	unsigned int n = TURNS, other = 0, *at = &shared->line[0];

	USERS(1);
	asm volatile("1: lock incl (%2); xchgl %1, (%2); lock xaddl %1, (%2); xchgl %1, %%eax; incl (%2)\n"
		     "xchgw %w1, (%2); lock cmpxchgl %1, 4(%2); decl %0; jnz 1b"
		     : "+r"(n), "+r"(other) : "r"(at) : "eax", "memory", "cc");
	end();
}

/*
 * Two CPUs take turns by one word: each reads it until the turn is its own, which is one transfer, and writes,
 * which is one invalidation. The first one has read it before, as has the other: that is no transfer.
 */
static void prove_ping_pong(void)
{
	volatile unsigned int *at = &shared->line[0];
	unsigned int n = TURNS, my = cpu, seen;

	if (!cpu)
		*at = 0;
	meet();
	seen = *at;
	check(!seen, "the word isn't 0");
	USERS(2);
	asm volatile("1: movl (%3), %2; xorl %1, %2; testl $1, %2; jz 2f; pause; jmp 1b\n"
		     "2: incl (%3); decl %0; jnz 1b"
		     : "+r"(n), "+r"(my), "=&r"(seen) : "r"(at) : "memory", "cc");
	end();
}

/* Each writes to a line of its own, one beside the other. */
static void prove_neighbours(void)
{
	volatile unsigned int *at = &shared->line[16 * cpu];
	unsigned int n = TURNS;

	*at = 0;
	USERS(2);
	asm volatile("1: lock incl (%1); decl %0; jnz 1b" : "+r"(n) : "r"(at) : "memory", "cc");
	end();
}

/* The kernel writes for each in turn: to one line, or for each to its own. */
static void prove_kernel(bool one)
{
	struct timespec *at = &shared->time[one ? 0 : cpu][0];

	if (!cpu || !one)
		at->tv_nsec = 0;
	if (!cpu)
		atomic_store(&shared->turn, 0);
	begin();
	for (unsigned int i = 0; i < TURNS; i++) {
		while (atomic_load(&shared->turn) % 2 != cpu)
			pause_cpu();
		syscall(SYS_clock_getres, CLOCK_MONOTONIC, at);
		atomic_fetch_add(&shared->turn, 1);
	}
	end();
}

static void in_one(void) { prove_kernel(true); }
static void in_own(void) { prove_kernel(false); }

static const struct {
	unsigned int cpus;
	void (*act)(void);
	const char *row;
} proofs[] = {
	{ 1, prove_locked, "locked\t5000\t0\t0" },
	{ 2, prove_ping_pong, "ping-pong\t0\t1999\t2000" },
	{ 2, prove_neighbours, "neighbours\t2000\t0\t0" },
	{ 2, in_one, "kernel-one-line\t0+\t1999+\t0+" },
	{ 2, in_own, "kernel-own-lines\t0+\t0+\t0+" },
};

static void prove(int which) { proofs[which].act(); }

/* --- Processes --------------------------------------------------------------------------- */

/* One process on each of so many CPUs; they end well. */
static void on_each(unsigned int nr, void (*act)(int), int argument, const char *cgroups)
{
	char path[64], self[16];
	cpu_set_t set;
	int status, fd;

	cpus = nr;
	barriers = 0;
	atomic_store(&shared->arrived, 0);
	for (cpu = 0; cpu < cpus; cpu++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid)
			continue;
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			die("sched_setaffinity");
		if (cgroups) {
			snprintf(path, sizeof(path), "/cg/%s%u/cgroup.procs", cgroups, strcmp(cgroups, "one") ? cpu : 0);
			snprintf(self, sizeof(self), "%d", getpid());
			fd = open(path, O_WRONLY);
			if (fd < 0 || write(fd, self, strlen(self)) < 0)
				die(path);
			close(fd);
		}
		meet();
		act(argument);
		exit(0);
	}
	for (unsigned int i = 0; i < nr; i++)
		check(wait(&status) > 0 && !status, "a process failed");
}

int main(int argc, char **argv)
{
	static const char *const ways[] = { "out", "in", "free", "gone" };
	int rounds;

	shared = anonymous(sizeof(*shared), MAP_SHARED);
	memset(shared, 0, sizeof(*shared));
	setvbuf(stdout, NULL, _IOLBF, 0);
	MARK(TRACK, 0);
	if (argc == 2 && !strcmp(argv[1], "prove")) {
		for (size_t i = 0; i < sizeof(proofs) / sizeof(proofs[0]); i++) {
			on_each(proofs[i].cpus, prove, i, NULL);
			printf("prove\t%s\n", proofs[i].row);
		}
		return 0;
	}
	check(argc == 6, "usage: contention CPUS KIB CONTENT one|own ROUNDS, or contention prove");
	cpus = atoi(argv[1]);
	rounds = atoi(argv[5]);
	check(cpus == 1 || cpus == 2 || cpus == MOST_CPUS, "for 1, 2 or 8 CPUs");
	check(rounds > 0, "no rounds");
	while (strcmp(argv[3], contents[content]))
		check(++content <= KERNEL, "no such content");
	if (content == KERNEL)
		kernel = open("/run/kernel", O_RDONLY);
	on_each(cpus, swap, rounds, argv[4]);
	for (int i = 0; i < rounds; i++)
		for (int way = 0; way < 4; way++)
			printf("%s\t%s\t%s\t%s\t%lu\n", ways[way], argv[2], argv[3], argv[4], atoi(argv[1]) * PAGES);
	return 0;
}
