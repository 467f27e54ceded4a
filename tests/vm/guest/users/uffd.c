// SPDX-License-Identifier: GPL-2.0
/* userfaultfd: pages that are missing, protected, copied and moved. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "users.h"

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

	/* A swapped page isn't missing, and can't be overwritten by a copy. */
	say("out %zu", out(&a));
	say("copy: %s", ioctl(uffd.fd, UFFDIO_COPY, &copy) ? strerror(errno) : "done");
	check(&a, "swapped");
	say("missing %ld", uffd.missing);

	/* Write protection survives swapping. */
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

/*
 * Moves pages of which some are swapped out, and some are also in the swap
 * cache.
 */
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

const struct scene uffd_scenes[] = {
	{ "uffd", .play = scene_uffd },
	{ "uffd-move", .play = scene_uffd_move },
	{}
};
