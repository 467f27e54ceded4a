/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RACE_H
#define _RACE_H

#include <linux/completion.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/sched.h>

/*
 * A task to be held when it comes to a point of the code. In Rust that is
 * race_point!("PATH:BEFORE_OR_AFTER_STEP"), in C race_point("...").
 */
struct race_stop {
	struct list_head list;
	const char *point;
	struct task_struct *task;	/* NULL: whoever comes */
	unsigned int pass;		/* go by that many times first */
	unsigned int stay_ms;		/* not until released, but for so long */
	bool late;			/* nobody has released it in time */
	struct completion reached, released, left;
};

void race_points_enable(bool on);
void race_stop_arm(struct race_stop *stop, const char *point, struct task_struct *task);
void race_stop_release(struct race_stop *stop);

#ifdef CONFIG_ZSWAP_RACES_KUNIT_TEST
DECLARE_STATIC_KEY_FALSE(zswap_race_armed);
void zswap_race_point(const char *point, bool may_sleep);

/* Where a task may sleep. */
static inline void race_point(const char *point)
{
	if (static_branch_unlikely(&zswap_race_armed))
		zswap_race_point(point, true);
}
#else
static inline void race_point(const char *point) {}
#endif

#endif
