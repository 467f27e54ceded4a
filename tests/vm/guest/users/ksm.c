// SPDX-License-Identifier: GPL-2.0
/* Pages that KSM has merged. */
#define _GNU_SOURCE
#include "users.h"

#define KSM "/sys/kernel/mm/ksm/"

static long merged_want;

static bool merged(void)
{
	return read_from(KSM "pages_sharing") == merged_want;
}

static void scene_ksm(void)
{
	struct area a = anon(512, false), b = anon(512, false);

	fill(&a, 0, 1, 1);
	fill(&b, 0, 1, 1);
	ADVISE_ALL(&a, MADV_MERGEABLE);
	ADVISE_ALL(&b, MADV_MERGEABLE);
	write_to(KSM "smart_scan", "0");
	write_to(KSM "pages_to_scan", "4096");
	write_to(KSM "sleep_millisecs", "1");
	write_to(KSM "run", "1");
	/* One of each pair, and all but one of the zero pages. */
	merged_want = 480 + 63;
	soon(merged);
	say("merged %ld", read_from(KSM "pages_sharing"));
	write_to(KSM "run", "0");
	squeeze(&a, in_memory, 0);
	squeeze(&b, in_memory, 0);
	say("out %zu", swapped(&a) + swapped(&b));
	drop();
	check(&a, "merged, out and in");
	check(&b, "merged, out and in, the other");
	fill(&a, 0, 5, 2);
	check(&a, "written");
	check(&b, "written in the other");

	write_to(KSM "run", "1");
	merged_want = 0;
	for (size_t i = 0; i < a.pages; i++)
		merged_want += i % 5 && i % 16 != 7;
	merged_want += 63;
	soon(merged);
	say("merged again %s", merged() ? "yes" : "no");
	squeeze(&a, in_memory, 0);
	squeeze(&b, in_memory, 0);
	/* Half of it comes back before; half is still swapped out when all is unmerged. */
	for (size_t i = 0; i < a.pages; i += 2)
		check_page(&a, i);
	write_to(KSM "run", "2");
	say("unmerged %ld", read_from(KSM "pages_sharing"));
	check(&a, "unmerged");
	check(&b, "unmerged, the other");
	write_to(KSM "run", "0");
	say("same");
}

const struct scene ksm_scenes[] = {
	{ "ksm", .play = scene_ksm },
	{}
};
