// SPDX-License-Identifier: GPL-2.0
/*
 * stress SECONDS SEED SWAP DISK...: all operations on zswap at once, for SECONDS. Each SWAP is
 * ready for swapon; DISK is the block device that it is on.
 *
 * Workers, each in a memory cgroup smaller than its memory, write, swap out, read back, zero, free
 * and fork it, and know what every byte must be: the owner, the page and its generation, at the
 * start of the page, determine it. So the origin of a wrong page can be reported. Meanwhile agents
 * change limits, reclaim, flip parameters and folio sizes, remove and re-add swaps and CPU 1, and
 * create and remove cgroups with charged pages. SEED determines what they do; the scheduler, when.
 *
 * Ends with both swaps off and a final check of all pages, and a table with one count on each line,
 * name first. The exit status is 0 if nothing was wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

static const char *const names[COUNTS] = {
	"compared", "wrong", "old_behind_zero", "killed", "faults", "forks", "swapoffs_refused",
	"cgroups", "cpu_flips", "limits_set", "reclaims", "flips",
	"accelerator_flips",
};

static const char *const accelerator[] = { "submitted", "backlogged", "most", "reused" };

static const char *const kernels[] = {
	"zswpout", "zswpin", "zswpwb", "pswpout", "pswpin", "swpout_zero", "swpin_zero",
};

struct all *all;
struct swap swaps[SWAPS];
int nr_swaps;

/* Timeout in seconds without a page swapped or compared. */
static unsigned long patience = 90;


static pid_t pids[WORKERS + AGENTS + 1];
static int alive;

static const char *who(size_t i)
{
	if (i == WORKERS + AGENTS)
		return "ending";
	return i < WORKERS ? "worker" : agents[i - WORKERS].name;
}

/* Reaps children; the parent knows each of them. */
static void attend(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		size_t i = 0;

		while (i <= WORKERS + AGENTS && pids[i] != pid)
			i++;
		if (i > WORKERS + AGENTS)
			continue; /* the reporter */
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
	kill(0, SIGKILL); /* also those that wait for the end of the output */
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

/*
 * In a separate process, since it may have to wait for a CPU that goes offline.
 */
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

/*
 * Watches until only that many children are left, or there is no progress for
 * too long.
 */
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
	for (size_t i = 0; i < sizeof(accelerator) / sizeof(*accelerator); i++) {
		char path[60];

		snprintf(path, sizeof(path), ACCEL "%s", accelerator[i]);
		say("%-18s %12lu", accelerator[i], number(path, NULL));
	}
	say("%-18s %12lu", "large_folios", large());
	/* Only with zswap in Rust: those that it has filled. */
	say("%-18s %12lu", "large_loads", number("/sys/kernel/debug/zswap/large_loads", NULL));
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

/* Swaps everything in. */
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

	/*
	 * The agents end, then all pages come back, then the workers compare
	 * them.
	 */
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
