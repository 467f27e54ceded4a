// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is as in mm/zswap.c: parameters, counters and their files, the static
 * key, the workqueue. core/ declares what Rust uses of it.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cache.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/ratelimit.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <linux/zswap.h>

/* exports.rs. Call the first two with param_lock held. */
int zswap_rs_prepare(void);
int zswap_rs_set_compressor(const char *name);
void zswap_rs_shrink(struct work_struct *work);
int zswap_rs_init(void);

/*
 * The initcall. It must be late, since crypto must be initialised first. With
 * LTO, C orders initcalls by sections that Rust can't name.
 */
late_initcall(zswap_rs_init);

/*********************************
 * statistics
 **********************************/
/* Each in a cache line of its own: all CPUs that store, load or free write it. */
atomic_long_t zswap_stored_pages __cacheline_aligned_in_smp;
struct {
	atomic_long_t nr;
} ____cacheline_aligned_in_smp zswap_stored_incompressible_pages
	__cacheline_aligned_in_smp;
u64 zswap_pool_limit_hit;
u64 zswap_written_back_pages;
u64 zswap_reject_reclaim_fail;
u64 zswap_reject_compress_fail;
u64 zswap_reject_compress_poor;
u64 zswap_decompress_fail;
u64 zswap_reject_alloc_fail;
u64 zswap_reject_kmemcache_fail;
#ifdef CONFIG_ZSWAP_LARGE_SWAPIN
u64 zswap_large_loads;
u64 zswap_large_load_fail;
#endif

/*********************************
 * tunables
 **********************************/
bool zswap_enabled = IS_ENABLED(CONFIG_ZSWAP_DEFAULT_ON);
static int zswap_enabled_param_set(const char *val,
				   const struct kernel_param *kp)
{
	int ret;

	/* Until user space runs, only set it: the initcall sets zswap up. */
	if (system_state != SYSTEM_RUNNING)
		return param_set_bool(val, kp);
	ret = zswap_rs_prepare();
	return ret ? ret : param_set_bool(val, kp);
}

static const struct kernel_param_ops zswap_enabled_param_ops = {
	.set =		zswap_enabled_param_set,
	.get =		param_get_bool,
};
module_param_cb(enabled, &zswap_enabled_param_ops, &zswap_enabled, 0644);

char *zswap_compressor = CONFIG_ZSWAP_COMPRESSOR_DEFAULT;
static int zswap_compressor_param_set(const char *val,
				      const struct kernel_param *kp)
{
	char *name = strstrip((char *)val);

	/* The command line. Nothing can be allocated yet. */
	if (system_state == SYSTEM_BOOTING)
		return param_set_charp(name, kp);
	return zswap_rs_set_compressor(name);
}

static const struct kernel_param_ops zswap_compressor_param_ops = {
	.set =		zswap_compressor_param_set,
	.get =		param_get_charp,
	.free =		param_free_charp,
};
module_param_cb(compressor, &zswap_compressor_param_ops,
		&zswap_compressor, 0644);

/* Call with param_lock held. */
int zswap_set_compressor(const char *name)
{
	return param_set_charp(name, &__param_compressor);
}

unsigned int zswap_max_pool_percent = 20;
module_param_named(max_pool_percent, zswap_max_pool_percent, uint, 0644);

unsigned int zswap_accept_thr_percent = 90;
module_param_named(accept_threshold_percent, zswap_accept_thr_percent,
		   uint, 0644);

bool zswap_shrinker_enabled = IS_ENABLED(CONFIG_ZSWAP_SHRINKER_DEFAULT_ON);
module_param_named(shrinker_enabled, zswap_shrinker_enabled, bool, 0644);

/* C has no counterpart of these two. */
bool zswap_skip_incompressible;
module_param_named(skip_incompressible, zswap_skip_incompressible, bool, 0644);

#ifdef CONFIG_ZSWAP_LARGE_SWAPIN
bool zswap_large_swapin = true;
module_param_named(large_swapin, zswap_large_swapin, bool, 0644);
#endif

DEFINE_STATIC_KEY_FALSE(zswap_ever_enabled);

void zswap_set_ever_enabled(void)
{
	static_branch_enable(&zswap_ever_enabled);
}

/*********************************
 * the workqueue, and messages
 **********************************/
struct workqueue_struct *zswap_shrink_wq;
static DECLARE_WORK(zswap_shrink_work, zswap_rs_shrink);

/* It stays, also if setup then fails. */
int zswap_alloc_shrink_wq(void)
{
	if (!zswap_shrink_wq)
		zswap_shrink_wq = alloc_workqueue("zswap-shrink",
						  WQ_UNBOUND | WQ_MEM_RECLAIM, 1);
	return zswap_shrink_wq ? 0 : -ENOMEM;
}

void zswap_queue_shrink_work(void)
{
	if (zswap_shrink_wq)
		queue_work(zswap_shrink_wq, &zswap_shrink_work);
}

/* Whether one more failed decompression may be reported. */
bool zswap_may_report(void)
{
	static DEFINE_RATELIMIT_STATE(rs, DEFAULT_RATELIMIT_INTERVAL,
				      DEFAULT_RATELIMIT_BURST);

	return ___ratelimit(&rs, "zswap_decompress");
}

/*********************************
 * debugfs functions
 **********************************/
static int debugfs_get_total_size(void *data, u64 *val)
{
	*val = zswap_total_pages() * PAGE_SIZE;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(total_size_fops, debugfs_get_total_size, NULL, "%llu\n");

/* Of u64 and atomic_long_t, which are equally wide: Kconfig requires 64 bits. */
static int debugfs_get_counter(void *data, u64 *val)
{
	*val = READ_ONCE(*(u64 *)data);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(counter_fops, debugfs_get_counter, NULL, "%llu\n");

#define show_counter(name) \
	debugfs_create_file(#name, 0444, root, &zswap_##name, &counter_fops)

void zswap_debugfs_init(void)
{
	struct dentry *root;

	if (!IS_ENABLED(CONFIG_DEBUG_FS))
		return;
	if (!debugfs_initialized()) {
		pr_warn("debugfs initialization failed\n");
		return;
	}
	root = debugfs_create_dir("zswap", NULL);
	show_counter(pool_limit_hit);
	show_counter(reject_reclaim_fail);
	show_counter(reject_alloc_fail);
	show_counter(reject_kmemcache_fail);
	show_counter(reject_compress_fail);
	show_counter(reject_compress_poor);
	show_counter(decompress_fail);
	show_counter(written_back_pages);
	debugfs_create_file("pool_total_size", 0444, root, NULL, &total_size_fops);
	show_counter(stored_pages);
	show_counter(stored_incompressible_pages);
#ifdef CONFIG_ZSWAP_LARGE_SWAPIN
	show_counter(large_loads);
	show_counter(large_load_fail);
#endif
}

MODULE_AUTHOR("Seth Jennings <sjennings@variantweb.net>");
MODULE_DESCRIPTION("Compressed cache for swap pages");
