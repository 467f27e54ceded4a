// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated accelerator: the fault-injecting compressor, asynchronous like hardware. Requests
 * take time. A limited number is in flight, and further requests wait in a backlog. Requests may
 * complete out of order, and on another CPU. Until a request completes, its destination contains a
 * pattern that is not a valid result.
 *
 * The result is computed at submission: only the time of completion is simulated.
 */

#include <crypto/internal/acompress.h>
#include <crypto/scatterwalk.h>
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "faulty_acomp.h"
#include "race.h"

/* Files in /sys/kernel/debug/zswap_accel. */
static u32 latency_us = 20;
static u32 depth = 16;
static bool reorder;	/* a request takes between latency_us and twice that */
static bool elsewhere;	/* a kernel thread completes requests, on any CPU */
static bool words;	/* pages of one repeated word: the computation takes no CPU time */
static u32 hold_until;	/* none completes while its submitter runs, until most has reached this */
static bool held_by_reader;	/* none completes before a task waits for the folio to be stored */
static u32 most;	/* maximum number of requests in flight */
static atomic_t submitted, backlogged;
static atomic_t reused;	/* requests that were submitted again while in flight */

struct job {
	struct acomp_req *req;
	struct list_head waiting;
	struct hrtimer timer;
	struct work_struct work;
	struct task_struct *submitter;	/* exists while the request is in flight: it waits for it */
	struct folio *folio;		/* that is compressed, or NULL */
	unsigned long limit;		/* in jiffies, of how long it is held */
	bool under_way;
	int err;
	struct faulty_result result;
};

static DEFINE_SPINLOCK(lock);
static LIST_HEAD(backlog);
static u32 under_way;

static void start(struct job *job)
{
	u64 ns = (u64)READ_ONCE(latency_us) * NSEC_PER_USEC;

	if (READ_ONCE(reorder) && ns)
		ns += get_random_u32_below(min(ns, U32_MAX));
	hrtimer_start(&job->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_SOFT);
}

/* Called with softirqs disabled, as in drivers. */
static void complete_job(struct job *job)
{
	struct acomp_req *req = job->req;
	struct job *next;
	int err;

	err = faulty_give(req, &job->result, job->err);
	scoped_guard(spinlock_irqsave, &lock) {
		next = list_first_entry_or_null(&backlog, struct job, waiting);
		if (next)
			list_del(&next->waiting);
		else
			under_way--;
	}
	if (next) {
		/* The next request is removed from the backlog. */
		acomp_request_complete(next->req, -EINPROGRESS);
		start(next);
	}
	/* The last access to the job: its owner may free it now. */
	WRITE_ONCE(job->under_way, false);
	acomp_request_complete(req, err);
}

static void complete_work(struct work_struct *work)
{
	local_bh_disable();
	complete_job(container_of(work, struct job, work));
	local_bh_enable();
}

/*
 * Whether its submitter still has others to submit, or the reader hasn't come, however long that
 * takes on a slow machine. If it takes 20 seconds, no more requests are held.
 */
static bool is_held(struct job *job)
{
	bool by_submitter = READ_ONCE(most) < READ_ONCE(hold_until) &&
			    task_is_running(job->submitter);
	bool by_reader = READ_ONCE(held_by_reader) && job->folio && !folio_test_waiters(job->folio);

	if (!by_submitter && !by_reader)
		return false;
	if (time_before(jiffies, job->limit))
		return true;
	WRITE_ONCE(hold_until, 0);
	WRITE_ONCE(held_by_reader, false);
	return false;
}

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct job *job = container_of(timer, struct job, timer);

	if (is_held(job))
		start(job);
	else if (READ_ONCE(elsewhere))
		queue_work(system_dfl_wq, &job->work);
	else
		complete_job(job);
	return HRTIMER_NORESTART;
}

/* Writes a pattern that is not a valid result. */
static void spoil(struct acomp_req *req)
{
	static const u8 spoilt[64] = { [0 ... 63] = 0x5a };
	u32 done, len;

	for (done = 0; done < req->dlen; done += len) {
		len = min(req->dlen - done, sizeof(spoilt));
		memcpy_to_sglist(req->dst, done, spoilt, len);
	}
}

static int pack_word(struct acomp_req *req, struct faulty_result *result)
{
	memcpy_from_sglist(result->bytes, req->src, 0, sizeof(u64));
	result->made = sizeof(u64);
	result->dlen = sizeof(u64);
	return 0;
}

static int unpack_word(struct acomp_req *req, struct faulty_result *result)
{
	u64 word;

	result->made = 0;
	if (req->slen != sizeof(word) || req->dlen != PAGE_SIZE)
		return -EINVAL;
	memcpy_from_sglist(&word, req->src, 0, sizeof(word));
	memset64((u64 *)result->bytes, word, PAGE_SIZE / sizeof(word));
	result->made = PAGE_SIZE;
	result->dlen = PAGE_SIZE;
	return 0;
}

static int submit(struct acomp_req *req, struct folio *folio,
		  int (*compute)(struct acomp_req *req, struct faulty_result *result))
{
	struct job *job = acomp_request_ctx(req);

	/* False before the first submission: the memory of a new request is zeroed. */
	if (READ_ONCE(job->under_way)) {
		atomic_inc(&reused);
		return -EIO;
	}
	job->under_way = true;
	job->req = req;
	job->submitter = current;
	job->folio = folio;
	job->limit = jiffies + 20 * HZ;
	INIT_LIST_HEAD(&job->waiting);
	hrtimer_setup(&job->timer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	INIT_WORK(&job->work, complete_work);
	job->err = compute(req, &job->result);
	if (!READ_ONCE(words))
		spoil(req);
	atomic_inc(&submitted);

	scoped_guard(spinlock_irqsave, &lock) {
		if (under_way >= READ_ONCE(depth) && under_way) {
			if (!(acomp_request_flags(req) & CRYPTO_TFM_REQ_MAY_BACKLOG)) {
				job->under_way = false;
				return -ENOSPC;
			}
			list_add_tail(&job->waiting, &backlog);
			atomic_inc(&backlogged);
			return -EBUSY;
		}
		under_way++;
		most = max(most, under_way);
	}
	start(job);
	return -EINPROGRESS;
}

static int accel_compress(struct acomp_req *req)
{
	race_point("accel:before_compress");
	return submit(req, page_folio(sg_page(req->src)),
		      READ_ONCE(words) ? pack_word : faulty_pack);
}

static int accel_decompress(struct acomp_req *req)
{
	race_point("accel:before_decompress");
	return submit(req, NULL, READ_ONCE(words) ? unpack_word : faulty_unpack);
}

static struct acomp_alg algs[] = {
	{
		/* The crypto API requires a synchronous fallback of the same name. */
		.compress = faulty_pack_now,
		.decompress = faulty_unpack_now,
		.base = {
			.cra_name = ACCEL_NAME,
			.cra_driver_name = ACCEL_NAME "-plain",
			.cra_module = THIS_MODULE,
		},
	},
	{
		.compress = accel_compress,
		.decompress = accel_decompress,
		.init = faulty_setup,
		.base = {
			.cra_name = ACCEL_NAME,
			.cra_driver_name = ACCEL_NAME "-async",
			.cra_priority = 100,
			.cra_flags = CRYPTO_ALG_ASYNC,
			.cra_reqsize = sizeof(struct job),
			.cra_module = THIS_MODULE,
		},
	},
};

/* Never unregistered, since pools that use the algorithm may still exist. */
static int __init accel_register(void)
{
	struct dentry *dir = debugfs_create_dir(ACCEL_NAME, NULL);

	debugfs_create_u32("latency_us", 0600, dir, &latency_us);
	debugfs_create_u32("depth", 0600, dir, &depth);
	debugfs_create_bool("reorder", 0600, dir, &reorder);
	debugfs_create_bool("elsewhere", 0600, dir, &elsewhere);
	debugfs_create_bool("words", 0600, dir, &words);
	debugfs_create_u32("hold_until", 0600, dir, &hold_until);
	debugfs_create_bool("held_by_reader", 0600, dir, &held_by_reader);
	debugfs_create_u32("most", 0600, dir, &most);
	debugfs_create_atomic_t("submitted", 0600, dir, &submitted);
	debugfs_create_atomic_t("backlogged", 0600, dir, &backlogged);
	debugfs_create_atomic_t("reused", 0600, dir, &reused);
	return crypto_register_acomps(algs, ARRAY_SIZE(algs));
}
module_init(accel_register);
