// SPDX-License-Identifier: GPL-2.0
/*
 * abandon DEVICE CGROUP [fork]: swapoff meets large folios that a fault has read and not mapped.
 * DEVICE is the only swap device, and synchronous; 64 KiB is the only enabled folio size; zswap was
 * never enabled. See docs/upstream/unuse-large.md.
 *
 * One thread reads the first page of a swapped-out block of 64 KiB, and another one gives that page
 * back at the same time. Sometimes the fault has then read the block as one folio, finds another
 * page table entry than the one that it began with, and leaves the folio in the swap cache. The
 * blocks of which that is true, 8 of them, are what the test is about. Prints:
 *
 *   left 8         the blocks were found; "some" or "none" if fewer
 *   before yes     with fork: the process forked before swapoff came to it
 *   mapped N       their pages, other than the first, that are mapped more often than by the
 *                  processes that have them, after swapoff
 *   seen N         with fork: pages of the parent that changed when the child wrote to its own
 *   stuck N        without fork: pages that reclaim could not swap out afterwards
 *   wrong N        without fork: pages with other contents than before
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/wait.h>

#include "blocks.h"

#define BLOCKS 512
#define WANTED 8
#define ROUNDS 20
#define SLOW (64UL << 20)

static unsigned char *mem;
static unsigned char *left[WANTED];
static size_t nr_left;
static int kpagecount;
static const char *cgroup;

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static unsigned char content(size_t block, size_t page)
{
	return 1 + (block * NR + page) % 251;
}

static void fill(void)
{
	for (size_t i = 0; i < BLOCKS * NR; i++)
		memset(mem + i * PAGE, content(i / NR, i % NR), PAGE);
}

static bool is_out(size_t block)
{
	for (size_t i = 0; i < NR; i++)
		if (!(entry(mem + block * BLOCK + i * PAGE) & SWAPPED))
			return false;
	return true;
}

/* Whether the block, of which the first page is gone, is swapped out and in the swap cache. */
static bool is_left(unsigned char *block)
{
	unsigned char cached[NR];

	check(!mincore(block, BLOCK, cached), "mincore");
	for (size_t i = 1; i < NR; i++)
		if (!(entry(block + i * PAGE) & SWAPPED) || !(cached[i] & 1))
			return false;
	return true;
}

static atomic_size_t turn, done; /* the number of the block that is raced for, from 1 on */

static void *give_back(void *unused)
{
	(void)unused;
	on_cpu(1);
	for (size_t n = 1;; n++) {
		while (atomic_load(&turn) < n)
			;
		if (atomic_load(&turn) == SIZE_MAX)
			return NULL;
		for (volatile size_t delay = n * 37 % 4096; delay; delay--)
			;
		madvise(mem + (n - 1) % BLOCKS * BLOCK, PAGE, MADV_DONTNEED);
		atomic_store(&done, n);
	}
}

static void race(void)
{
	pthread_t other;
	size_t n = 0;

	check(!pthread_create(&other, NULL, give_back, NULL), "thread");
	for (int round = 0; round < ROUNDS && nr_left < WANTED; round++) {
		on_cpu(0);
		fill();
		reclaim(cgroup);
		for (size_t block = 0; block < BLOCKS; block++) {
			unsigned char *at = mem + block * BLOCK;
			bool out = is_out(block);

			atomic_store(&turn, ++n);
			(void)*(volatile unsigned char *)at;
			while (atomic_load(&done) < n)
				;
			if (out && nr_left < WANTED && is_left(at))
				left[nr_left++] = at;
		}
		/* The next round would read them in. */
		if (nr_left)
			break;
	}
	atomic_store(&turn, SIZE_MAX);
	pthread_join(other, NULL);
}

/* Pages of the blocks that differ from what they were filled with. */
static size_t wrong(void)
{
	size_t found = 0;

	for (size_t b = 0; b < nr_left; b++)
		for (size_t i = 1; i < NR; i++) {
			unsigned char want = content((left[b] - mem) / BLOCK, i);

			for (size_t j = 0; j < PAGE; j++)
				if (left[b][i * PAGE + j] != want) {
					found++;
					break;
				}
		}
	return found;
}

static size_t mapped_too_often(bool forked)
{
	size_t found = 0;

	for (size_t b = 0; b < nr_left; b++)
		for (size_t i = 1; i < NR; i++) {
			uint64_t e = entry(left[b] + i * PAGE), count;

			if (!(e & PRESENT))
				continue;
			check(pread(kpagecount, &count, 8, (e & PFN) * 8) == 8, "kpagecount");
			found += count > (forked && i != 1 ? 2 : 1);
		}
	return found;
}

static size_t present(void)
{
	size_t found = 0;

	for (size_t b = 0; b < nr_left; b++)
		for (size_t i = 1; i < NR; i++)
			found += !!(entry(left[b] + i * PAGE) & PRESENT);
	return found;
}

/*
 * A process with memory that swapoff has to read before it comes to this one: one whose first page
 * is swapped out later is earlier in its list.
 */
static pid_t begin_slow(void)
{
	pid_t slow;

	fill();
	reclaim(cgroup);
	slow = fork();
	check(slow >= 0, "fork");
	if (!slow) {
		munmap(mem, BLOCKS * BLOCK);
		mem = mmap(NULL, SLOW, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		check(mem != MAP_FAILED, "mmap");
		for (size_t i = 0; i < SLOW / PAGE; i++)
			memset(mem + i * PAGE, i % 255 + 1, PAGE);
		reclaim(cgroup);
		raise(SIGSTOP);
		pause();
	}
	check(waitpid(slow, NULL, WUNTRACED) == slow, "slow");
	return slow;
}

static unsigned long swapped_by(pid_t pid)
{
	char path[32], line[128];
	unsigned long found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	check(file, path);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "VmSwap: %lu", &found);
	fclose(file);
	return found;
}

static void *turn_off(void *device)
{
	check(!swapoff(device), "swapoff");
	return NULL;
}

/*
 * Swapoff, during which the process forks: after swapoff has passed the place of the child in its
 * list, and before it comes to the parent. The second page of a block stays exclusive, and the
 * others are shared. Then the child writes.
 */
static void fork_meanwhile(char *device, pid_t slow)
{
	unsigned long before = swapped_by(slow);
	int go[2], went[2];
	pthread_t thread;
	pid_t child;
	char c = 0;

	for (size_t b = 0; b < nr_left; b++)
		check(!madvise(left[b] + PAGE, PAGE, MADV_DONTFORK), "MADV_DONTFORK");
	check(!pipe(go) && !pipe(went), "pipe");
	check(!pthread_create(&thread, NULL, turn_off, device), "thread");
	while (swapped_by(slow) == before)
		sched_yield();
	child = fork();
	check(child >= 0, "fork");
	if (!child) {
		if (read(go[0], &c, 1) == 1)
			for (size_t b = 0; b < nr_left; b++)
				for (size_t i = 2; i < NR; i++)
					left[b][i * PAGE] = 0;
		(void)!write(went[1], &c, 1);
		pause();
	}
	printf("before %s\n", swapped_by(slow) ? "yes" : "no");
	pthread_join(thread, NULL);
	printf("mapped %zu\n", mapped_too_often(true));
	(void)!write(go[1], &c, 1);
	(void)!read(went[0], &c, 1);
	printf("seen %zu\n", wrong());
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	kill(slow, SIGKILL);
	waitpid(slow, NULL, 0);
}

int main(int argc, char **argv)
{
	bool forks = argc > 3;
	pid_t slow = 0;

	if (argc < 3)
		return 2;
	cgroup = argv[2];
	setvbuf(stdout, NULL, _IOLBF, 0);
	kpagecount = open("/proc/kpagecount", O_RDONLY);
	check(kpagecount >= 0, "kpagecount");
	mem = mmap(NULL, (BLOCKS * BLOCK) + HUGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(mem != MAP_FAILED, "mmap");
	mem = (void *)(((uintptr_t)mem + HUGE - 1) & ~(HUGE - 1));
	if (forks)
		slow = begin_slow();
	race();
	printf("left %s\n", nr_left == WANTED ? "8" : nr_left ? "some" : "none");
	if (forks) {
		fork_meanwhile(argv[1], slow);
		return 0;
	}
	check(!swapoff(argv[1]), "swapoff");
	printf("mapped %zu\n", mapped_too_often(false));
	check(!swapon(argv[1], 0), "swapon");
	reclaim(cgroup);
	printf("stuck %zu\n", present());
	printf("wrong %zu\n", wrong());
	check(!swapoff(argv[1]), "swapoff");
	return 0;
}
