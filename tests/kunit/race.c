// SPDX-License-Identifier: GPL-2.0
/*
 * Race points: a test holds a task at a point in the code while other tasks run
 * conflicting operations.
 */

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/processor.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "race.h"

/*
 * How long a task waits for the test. In atomic context, less than RCU's stall
 * timeout.
 */
#define PATIENCE (30 * HZ)
#define ATOMIC_PATIENCE_MS (8 * MSEC_PER_SEC)

DEFINE_STATIC_KEY_FALSE(zswap_race_armed);
bool race_steps;

static LIST_HEAD(stops);
/* Raw: race points may be in code with interrupts disabled. */
static DEFINE_RAW_SPINLOCK(stops_lock);

static struct race_stop *take_stop(const char *point)
{
	struct race_stop *stop;

	guard(raw_spinlock_irqsave)(&stops_lock);
	list_for_each_entry(stop, &stops, list) {
		if ((stop->task && stop->task != current) || strcmp(stop->point, point))
			continue;
		if (stop->pass) {
			stop->pass--;
			return NULL;
		}
		list_del_init(&stop->list);
		return stop;
	}
	return NULL;
}

static bool spin(struct race_stop *stop, unsigned int ms)
{
	ktime_t end = ktime_add_ms(ktime_get(), ms);

	while (!try_wait_for_completion(&stop->released)) {
		if (ktime_after(ktime_get(), end))
			return false;
		cpu_relax();
	}
	return true;
}

void zswap_race_point(const char *point, bool may_sleep)
{
	struct race_stop *stop = take_stop(point);

	if (!stop)
		return;
	race_step("is held at %s", point);
	complete(&stop->reached);
	if (stop->stay_ms)
		spin(stop, stop->stay_ms);
	else if (may_sleep)
		stop->late = !wait_for_completion_timeout(&stop->released, PATIENCE);
	else
		stop->late = !spin(stop, ATOMIC_PATIENCE_MS);
	race_step("goes on");
	/* From here on the stop may be freed. */
	complete(&stop->left);
}

void race_points_enable(bool on)
{
	if (on)
		static_branch_enable(&zswap_race_armed);
	else
		static_branch_disable(&zswap_race_armed);
}

/* Arms a stop that holds @task when it reaches @point. */
void race_stop_arm(struct race_stop *stop, const char *point, struct task_struct *task)
{
	stop->point = point;
	stop->task = task;
	stop->late = false;
	init_completion(&stop->reached);
	init_completion(&stop->released);
	init_completion(&stop->left);
	guard(raw_spinlock_irqsave)(&stops_lock);
	list_add_tail(&stop->list, &stops);
}

/* If the task is held, releases it and waits until it continues. Otherwise disarms the stop. */
void race_stop_release(struct race_stop *stop)
{
	scoped_guard(raw_spinlock_irqsave, &stops_lock) {
		if (!list_empty(&stop->list)) {
			list_del_init(&stop->list);
			return;
		}
	}
	complete(&stop->released);
	wait_for_completion(&stop->left);
}
