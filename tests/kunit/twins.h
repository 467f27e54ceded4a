/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the suites of twins: the implementations in C and in Rust do the same random
 * operations on pairs of slots, and all observable results must be the same.
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

/* --- Operations that fail ---------------------------------------------------- */

/*
 * A run of operations that can be repeated. @fails does the operations of @list from the start,
 * except those that are impossible because others were left out. It returns the number of
 * operations until one fails, or 0. If @loud, it prints the differences.
 */
struct twins_run {
	u32 (*fails)(const u32 *list, u32 nr);
	void (*print)(struct kunit *test, u32 operation);
	bool loud;
};

/* Prints a short sequence that fails, of the first @nr operations. */
void twins_explain(struct kunit *test, struct twins_run *run, u32 nr);

/* --- Cgroups, one per side --------------------------------------------------- */

extern struct mem_cgroup *twin_groups[SIDES];

int twins_make_groups(void);
void twins_remove_groups(void);

/* A locked folio of the side's cgroup, with slots that have one user. */
struct folio *twin_folio(struct kunit *test, enum side side, int order);

#endif
