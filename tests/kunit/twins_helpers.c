// SPDX-License-Identifier: GPL-2.0
/* Shared by the suites of twins. */

#include <linux/cgroup.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "twins.h"

/* The timeout for shortening a sequence, in seconds. */
#define PATIENCE 20

/* Leaves out operations that aren't needed for the failure. Returns the new length. */
static u32 shorten(struct twins_run *run, u32 *list, u32 nr)
{
	u32 *part __free(kvfree) = kvmalloc_array(nr, sizeof(*part), GFP_KERNEL);
	u64 end = ktime_get_ns() + PATIENCE * NSEC_PER_SEC;
	u32 chunk, at, len, left;

	if (!part)
		return nr;
	for (chunk = (nr + 1) / 2; chunk; chunk = chunk > 1 ? (chunk + 1) / 2 : 0) {
		for (at = 0; at < nr && ktime_get_ns() < end;) {
			/* The last operation is the one that fails: it isn't left out. */
			len = min(chunk, nr - at - (at + chunk >= nr));
			if (!len)
				break;
			memcpy(part, list, at * sizeof(*list));
			memcpy(part + at, list + at + len, (nr - at - len) * sizeof(*list));
			left = run->fails(part, nr - len);
			if (left) {
				nr = left;
				memcpy(list, part, nr * sizeof(*list));
			} else {
				at += len;
			}
			cond_resched();
		}
	}
	return nr;
}

void twins_explain(struct kunit *test, struct twins_run *run, u32 nr)
{
	u32 *list __free(kvfree) = kvmalloc_array(nr, sizeof(*list), GFP_KERNEL);
	u32 i, left;

	if (!list)
		return;
	for (i = 0; i < nr; i++)
		list[i] = i;
	run->loud = false;
	left = run->fails(list, nr);
	if (left)
		left = shorten(run, list, left);
	run->loud = true;
	if (!left || !run->fails(list, left)) {
		kunit_err(test, "these operations don't fail each time");
		return;
	}
	for (i = 0; i < left; i++)
		run->print(test, list[i]);
}

/* --- Cgroups ----------------------------------------------------------------- */

struct mem_cgroup *twin_groups[SIDES];

static const char *const names[SIDES] = { "twin_c", "twin_rust" };

int twins_make_groups(void)
{
	int side;

	for (side = C; side < SIDES; side++) {
		twin_groups[side] = swap_test_make_group(names[side]);
		if (IS_ERR(twin_groups[side]))
			return PTR_ERR(twin_groups[side]);
	}
	return 0;
}

void twins_remove_groups(void)
{
	int side;

	for (side = C; side < SIDES; side++) {
		if (IS_ERR_OR_NULL(twin_groups[side]))
			continue;
		swap_test_remove_group(names[side]);
		css_put(&twin_groups[side]->css);
		twin_groups[side] = NULL;
	}
}

struct folio *twin_folio(struct kunit *test, enum side side, int order)
{
	struct mem_cgroup *old = set_active_memcg(twin_groups[side]);
	struct folio *folio = new_folio(test, order, 1);

	set_active_memcg(old);
	if (folio)
		KUNIT_EXPECT_EQ(test, folio_dup_swap(folio, NULL), 0);
	return folio;
}
