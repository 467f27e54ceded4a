/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RACE_H
#define _RACE_H

#include <linux/completion.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/printk.h>
#include <linux/sched.h>

/*
 * Holds a task when it reaches a race point:
 * race_point!("PATH:BEFORE_OR_AFTER_STEP") in Rust, race_point("...") in C.
 */
struct race_stop {
	struct list_head list;
	const char *point;
	struct task_struct *task;	/* NULL: any task */
	unsigned int pass;		/* number of passes before it holds */
	unsigned int stay_ms;		/* hold for that long instead of until released */
	bool late;			/* wasn't released in time */
	struct completion reached, released, left;
};

/* Whether the steps of the tasks are printed. */
extern bool race_steps;

/* "race: TASK: WHAT", from which make compare draws a column for each task. */
#define race_step(what, ...) do {						\
	if (race_steps)								\
		pr_info("race: %d: " what "\n", current->pid, ##__VA_ARGS__);	\
} while (0)

void race_points_enable(bool on);
void race_stop_arm(struct race_stop *stop, const char *point, struct task_struct *task);
void race_stop_release(struct race_stop *stop);

#ifdef CONFIG_ZSWAP_RACES_KUNIT_TEST
DECLARE_STATIC_KEY_FALSE(zswap_race_armed);
void zswap_race_point(const char *point, bool may_sleep);

/* For code where a task may sleep. */
static inline void race_point(const char *point)
{
	if (static_branch_unlikely(&zswap_race_armed))
		zswap_race_point(point, true);
}
#else
static inline void race_point(const char *point) {}
#endif

#endif
