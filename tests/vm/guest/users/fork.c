// SPDX-License-Identifier: GPL-2.0
/* Memory that is swapped out when its process forks, or while it forks. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "users.h"

#define CHILDREN 40 /* more users of a slot than its swap-table entry can count */

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
	/*
	 * Swapped in, and out again while the children's page tables have the
	 * slots.
	 */
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

/* Both processes map the page when it is swapped out. */
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

const struct scene fork_scenes[] = {
	{ "fork", .play = scene_fork },
	{ "cow", .play = scene_cow },
	{ "forking", .play = scene_forking },
	{}
};
