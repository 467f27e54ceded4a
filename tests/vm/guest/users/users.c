// SPDX-License-Identifier: GPL-2.0
/*
 * Users of swapped pages: fork, shared memory, KSM, huge pages, userfaultfd and so on. Plays one
 * scene, in a memory cgroup of its own, and prints the observed counts in one line. Every byte is
 * compared whenever pages have been moved: a wrong one ends the scene, as does a timeout of a
 * minute.
 *
 *   users SCENE [ARGUMENT]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "users.h"

#define HEAP (64UL << 10) /* for files that are read line by line */

static const struct scene *const topics[] = {
	fork_scenes, ksm_scenes, thp_scenes, large_scenes, shared_scenes, uffd_scenes, cache_scenes,
	swapoff_scenes, readahead_scenes, whole_scenes,
};

/* Whether there is a scene of that name, with or without an argument. */
static bool play(const char *name, int arguments, const char *argument)
{
	for (size_t i = 0; i < sizeof(topics) / sizeof(*topics); i++) {
		for (const struct scene *scene = topics[i]; scene->name; scene++) {
			if (strcmp(name, scene->name) || arguments != !!scene->play_with)
				continue;
			if (scene->play)
				scene->play();
			else
				scene->play_with(argument);
			return true;
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	cpu_set_t first;

	setvbuf(stdout, NULL, _IOFBF, 4096);
	alarm(STUCK);
	/* So that its pages are in the LRU batches of the CPU where reclaim finds them. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	if (pagemap < 0)
		die("pagemap");
	/* The program's own memory isn't swapped: its readahead would disturb the counts. */
	free(malloc(HEAP));
	if (mlockall(MCL_CURRENT))
		die("mlockall");
	if (mkdir(GROUP, 0755) && errno != EEXIST)
		die("mkdir");
	write_to(GROUP "/cgroup.procs", "0");
	if (argc > 1 && play(argv[1], argc - 2, argv[2])) {
		puts("");
		leave();
		return 0;
	}
	fprintf(stderr, "usage: users SCENE [ARGUMENT]\n");
	return 2;
}
