// SPDX-License-Identifier: GPL-2.0
/* The agents: they change limits, reclaim, parameters, compressors, swaps, CPU 1, cgroups. */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <unistd.h>

#include "stress.h"

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
		case 4: /* in MiB: compressed and uncompressed pages must fit */
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
	/* For the pages that come back at the end. */
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
		"lz4", "lz4-rust", "lzo", "lzo-rle", "zstd", "deflate", "842",
		"zswap_accel", "zswap_accel", "zswap_accel", "zswap_accel",
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

/*
 * Changes the accelerator's behaviour while requests are in flight: never so that a page gets wrong
 * data.
 */
static void accelerator(void)
{
	static const char *const faults[] = {
		"none", "none", "eio", "einval", "enomem", "enospc", "empty", "page", "huge",
	};
	static const char *const latencies[] = { "0", "5", "20", "200", "1000" };
	static const char *const depths[] = { "1", "3", "8", "64" };
	int error;

	while (!over(&all->stop)) {
		switch (roll(6)) {
		case 0:
			error = put(PICK(latencies), ACCEL "latency_us");
			break;
		case 1:
			error = put(PICK(depths), ACCEL "depth");
			break;
		case 2:
			error = put(one_in(3) ? "N" : "Y", ACCEL "reorder");
			break;
		case 3:
			error = put(one_in(2) ? "N" : "Y", ACCEL "elsewhere");
			break;
		case 4:
			error = put(one_in(2) ? "10" : "2", FAULTY "every");
			break;
		default:
			error = put(PICK(faults), FAULTY "fault");
		}
		if (error)
			fault("accelerator", error);
		count(ACCELS);
		rest(200);
	}
	error = put("none", FAULTY "fault");
	if (error)
		fault("the last accelerator", error);
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

bool swap_off(int i)
{
	unsigned long back = used(swaps[i].path);

	if (swapoff(swaps[i].path)) {
		if (errno != ENOMEM) /* the pages may not fit into memory */
			fault("swapoff", errno);
		count(REFUSED);
		return false;
	}
	__atomic_add_fetch(&all->swapoffs[i], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&all->back[i], back, __ATOMIC_RELAXED);
	return true;
}

/* Both at the same priority, so that pages go to both. */
void swap_on(int i)
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

/*
 * Creates a cgroup, stores some of its memory in zswap, and removes it with
 * that.
 */
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

const struct agent agents[AGENTS] = {
	{ "limits", limits }, { "reclaim", reclaim }, { "flips", flips },
	{ "accelerator", accelerator }, { "swaps", swapping }, { "cpus", cpus }, { "cgroups", cgroups }, { "cgroups", cgroups },
};
