// SPDX-License-Identifier: GPL-2.0
/* swapoff with everything swapped. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/swap.h>
#include <unistd.h>

#include "users.h"

static void *checker(void *area)
{
	any_cpu();
	while (__atomic_load_n(&racing, __ATOMIC_RELAXED))
		check(area, "while swapoff runs");
	return NULL;
}

/* With private memory, memory shared with a child, shared memory, and pages in the swap cache. */
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
	/* The child maps all of it, so MADV_PAGEOUT would skip it. */
	for (int tries = 0; tries < 1000; tries++) {
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

const struct scene swapoff_scenes[] = {
	{ "swapoff", .play_with = scene_swapoff },
	{}
};
