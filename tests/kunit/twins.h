/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the suites of twins: C's implementation and the one in Rust do the same random operations on pairs
 * of slots, and whatever can be seen must be the same.
 */
#ifndef _TWINS_H
#define _TWINS_H

#include <linux/prandom.h>

#include "swap_test.h"

enum side { C, RUST, SIDES };

/* --- Random numbers ---------------------------------------------------------- */

static inline u32 below(struct rnd_state *rnd, u32 n)
{
	return prandom_u32_state(rnd) % n;
}

/* --- What was seen of a side, and what differs ------------------------------- */

/* For a list SEEN(f) of f(NAME): the members of a structure of long, and their names. */
#define SEEN_MEMBER(name) long name;
#define SEEN_NAME(name) #name,

/* --- Shortening a sequence of operations ------------------------------------- */

/*
 * Leaves out of @list, of @nr indices of operations, what isn't needed for @fails to return a length: how many
 * of these fail. @fails must start from the same state each time, and skip what is impossible without
 * the operations left out. Returns the new length.
 */
u32 twins_shorten(u32 *list, u32 nr, u32 (*fails)(const u32 *list, u32 nr));

/* --- Cgroups, one a side ----------------------------------------------------- */

extern struct mem_cgroup *twin_groups[SIDES];

int twins_make_groups(void);
void twins_remove_groups(void);

/* A locked folio of the side's cgroup, with slots that have one user. */
struct folio *twin_folio(struct kunit *test, enum side side, int order);

#endif
