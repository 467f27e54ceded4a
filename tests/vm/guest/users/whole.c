// SPDX-License-Identifier: GPL-2.0
/* Shared memory that zswap gives back in large folios of 64 KiB. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include "users.h"

#define ZSWAP "/sys/kernel/debug/zswap/"
#define BLOCK ((64UL << 10) / PAGE)

static int fd;
static long loads, fails;

/* A file of which no page is in memory. */
static struct area away(size_t pages)
{
	struct area a = shared(pages, &fd);

	fill(&a, 0, 1, 1);
	say("there %zu", squeeze(&a, resident, 0));
	loads = read_from(ZSWAP "large_loads");
	fails = read_from(ZSWAP "large_load_fail");
	return a;
}

/* Whether a page could be read. */
static bool read_page(const struct area *a, size_t i)
{
	static unsigned char page[PAGE];
	ssize_t got = pread(fd, page, PAGE, i * PAGE);

	if (got < 0 && errno == EIO)
		return false;
	if (got != (ssize_t)PAGE)
		die("pread");
	same(page, a->seeds[i], i);
	return true;
}

static void punch(size_t first, size_t pages)
{
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, first * PAGE, pages * PAGE))
		die("fallocate");
}

static void tell(const struct area *a)
{
	say("large %ld", read_from(ZSWAP "large_loads") - loads);
	check(a, "again");
	for (size_t i = 0; i < a->pages; i++)
		read_page(a, i);
	say("stored %ld, same", read_from(ZSWAP "stored_pages"));
}

/* Each page once, in the way of the argument. */
static void scene_whole(const char *how)
{
	struct area a = away(1024);
	bool backward = !strcmp(how, "backward");

	step = how;
	if (!strcmp(how, "sequential"))
		ADVISE_ALL(&a, MADV_SEQUENTIAL);
	else if (!strcmp(how, "random"))
		ADVISE_ALL(&a, MADV_RANDOM);
	for (size_t n = 0; n < a.pages; n++) {
		size_t i = backward ? a.pages - 1 - n : n;

		if (!strcmp(how, "read"))
			read_page(&a, i);
		else if (strcmp(how, "write"))
			check_page(&a, i);
		else if (pwrite(fd, "", 1, i * PAGE) != 1)
			die("pwrite");
	}
	if (!strcmp(how, "write")) {
		long now = read_from(ZSWAP "large_loads");

		/* That byte was written, and no other. */
		for (size_t i = 0; i < a.pages; i++) {
			uint64_t want[PAGE / 8];

			make_page(want, a.seeds[i], i);
			*(unsigned char *)want = 0;
			if (memcmp(a.mem + i * PAGE, want, PAGE)) {
				say("WRONG page %zu", i);
				return;
			}
			fill_page(&a, i, 1);
		}
		loads += read_from(ZSWAP "large_loads") - now;
	}
	tell(&a);
}

/* A page in the middle of each block, from the last one to the first. */
static void scene_whole_apart(void)
{
	struct area a = away(1024);

	for (size_t i = a.pages; i >= BLOCK; i -= BLOCK)
		check_page(&a, i - BLOCK / 2);
	say("there %zu", resident(&a));
	tell(&a);
}

/* Cut, with holes, and written to while it is swapped out. */
static void scene_whole_cut(void)
{
	struct area a = away(1024);

	if (ftruncate(fd, 48 * BLOCK * PAGE) || ftruncate(fd, a.pages * PAGE))
		die("ftruncate");
	for (size_t i = 48 * BLOCK; i < a.pages; i++)
		a.seeds[i] = ZERO;
	/* From a page within a block to another one. */
	punch(100, 333);
	for (size_t i = 100; i < 433; i++)
		a.seeds[i] = ZERO;
	for (size_t i = 5; i < 40 * BLOCK; i += 3 * BLOCK)
		if (i < 100 || i >= 433)
			fill_page(&a, i, 2);
	check(&a, "cut");
	say("large %s", read_from(ZSWAP "large_loads") - loads > 8 ? "some" : "few");
	say("there %zu", squeeze(&a, resident, 0));
	loads = read_from(ZSWAP "large_loads");
	check(&a, "again");
	say("large %s", read_from(ZSWAP "large_loads") - loads > 8 ? "some" : "few");
	say("stored %ld, same", read_from(ZSWAP "stored_pages"));
}

/* Processes that read it at the same time, in two ways, while another one punches holes. */
static void scene_whole_together(void)
{
	struct area a = shared(1024, &fd);
	long before = read_from(ZSWAP "large_loads");

	for (int round = 0; round < 20; round++) {
		fill(&a, 0, 1, 1);
		for (size_t i = 40 * BLOCK; i < a.pages; i++)
			a.seeds[i] = GONE;
		if (squeeze(&a, resident, 0))
			die("squeeze");
		for (int n = 0; n < 5; n++) {
			if (spawn())
				continue;
			any_cpu();
			step = "together";
			for (size_t i = 0; i < 40 * BLOCK; i++) {
				if (n < 2)
					check_page(&a, i);
				else if (n < 4)
					read_page(&a, i);
			}
			for (size_t i = 40 * BLOCK; i < a.pages; i++) {
				if (n < 4)
					touch(&a, i);
				else if (i % BLOCK == BLOCK / 2)
					punch(i / BLOCK % 2 ? i - BLOCK / 2 : i, BLOCK);
			}
			end_child();
		}
		if (reap(5) != 5)
			die("a child");
		check(&a, "afterwards");
		for (size_t i = 40 * BLOCK; i < a.pages; i++)
			a.seeds[i] = ZERO;
	}
	say("large %s", read_from(ZSWAP "large_loads") - before > 200 ? "some" : "few");
	say("stored %ld, same", read_from(ZSWAP "stored_pages"));
}

/* Read in two ways by a cgroup that has room for half of it: a large folio makes no room. */
static void scene_whole_limited(void)
{
	struct area a = away(1024);
	char max[32];

	snprintf(max, sizeof(max), "%ld", read_from(GROUP "/memory.current") + a.pages / 2 * PAGE);
	write_to(GROUP "/memory.max", max);
	step = "limited";
	for (size_t i = 0; i < 6 * a.pages; i++) {
		if (i / a.pages % 2)
			read_page(&a, i % a.pages);
		else
			check_page(&a, i % a.pages);
	}
	write_to(GROUP "/memory.max", "max");
	say("large %s", read_from(ZSWAP "large_loads") - loads > 8 ? "some" : "few");
	check(&a, "again");
	say("stored %ld, same", read_from(ZSWAP "stored_pages"));
}

/* The compressor has spoiled one page in 37. Each is lost alone, and stays so. */
static void scene_whole_spoiled(const char *how)
{
	struct area a = away(1024);
	bool lost[1024] = {};
	size_t bad = 0, blocks = 0;

	write_to("/sys/kernel/debug/zswap_faulty/compress/fault", "none");
	step = how;
	for (size_t i = 0; i < a.pages; i++) {
		pid_t child = strcmp(how, "map") ? 0 : spawn();
		int status;

		if (!strcmp(how, "map")) {
			if (!child) {
				check_page(&a, i);
				_exit(0);
			}
			if (waitpid(child, &status, 0) != child)
				die("waitpid");
			lost[i] = WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;
			if (status && !lost[i])
				die("a child");
		} else {
			lost[i] = !read_page(&a, i);
		}
		bad += lost[i];
	}
	for (size_t i = 0; i < a.pages; i += BLOCK) {
		size_t here = 0;

		for (size_t k = 0; k < BLOCK; k++)
			here += lost[i + k];
		blocks += here > 1;
	}
	say("large %s", read_from(ZSWAP "large_loads") - loads > 8 ? "some" : "few");
	say("failed %s", read_from(ZSWAP "large_load_fail") - fails > 4 ? "some" : "few");
	say("lost %s, together %zu", bad > 4 && bad < 40 ? "some" : "others", blocks);
	for (size_t i = 0; i < a.pages; i++)
		if (read_page(&a, i) == lost[i])
			say("WRONG page %zu", i);
	say("same");
}

static void scene_whole_swapoff(const char *device)
{
	struct area a = away(1024);

	if (swapoff(device))
		die("swapoff");
	say("there %zu", resident(&a));
	tell(&a);
}

const struct scene whole_scenes[] = {
	{ "whole", .play_with = scene_whole },
	{ "whole-apart", .play = scene_whole_apart },
	{ "whole-cut", .play = scene_whole_cut },
	{ "whole-together", .play = scene_whole_together },
	{ "whole-limited", .play = scene_whole_limited },
	{ "whole-spoiled", .play_with = scene_whole_spoiled },
	{ "whole-swapoff", .play_with = scene_whole_swapoff },
	{}
};
