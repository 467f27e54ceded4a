// SPDX-License-Identifier: GPL-2.0
/*
 * zswap in C, in the same kernel as zswap in Rust: includes mm/zswap.c, under other names. It has
 * its own trees, pools, list_lru, shrinker, worker, parameters (zswap_c.*) and debugfs directory
 * (zswap_c). Kbuild sets KBUILD_MODNAME, which is the prefix of the parameters and messages.
 */

/* The symbols that it defines for other files. */
#define zswap_stored_pages		c_zswap_stored_pages
#define zswap_total_pages		c_zswap_total_pages
#define zswap_store			c_zswap_store
#define zswap_load			c_zswap_load
#define zswap_invalidate		c_zswap_invalidate
#define zswap_swapon			c_zswap_swapon
#define zswap_swapoff			c_zswap_swapoff
#define zswap_memcg_offline_cleanup	c_zswap_memcg_offline_cleanup
#define zswap_lruvec_state_init		c_zswap_lruvec_state_init
#define zswap_folio_swapin		c_zswap_folio_swapin
#define zswap_is_enabled		c_zswap_is_enabled
#define zswap_never_enabled		c_zswap_never_enabled

/* The headers that mm/zswap.c includes, before some of their names are redefined. */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/highmem.h>
#include <linux/list_lru.h>
#include <linux/mempolicy.h>
#include <linux/mempool.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/swap_ops.h>
#include <linux/swapops.h>
#include <linux/writeback.h>
#include <linux/zsmalloc.h>
#include <crypto/acompress.h>
#include <crypto/scatterwalk.h>

#include "../../../../mm/internal.h"
#include "../../../../mm/swap.h"
#include "c_zswap.h"

/* zswap in Rust uses the state itself. Only MIPS uses this one; Kconfig has no twins for MIPS. */
#define CPUHP_MM_ZSWP_POOL_PREPARE CPUHP_MIPS_SOC_PREPARE

#undef pr_fmt

/* Names in slabinfo, debugfs and zsmalloc. */
static struct kmem_cache *c_cache(const char *name, size_t size, size_t align, slab_flags_t flags)
{
	return kmem_cache_create(name, size, align, flags, NULL);
}

static struct dentry *c_debugfs_dir(struct dentry *parent)
{
	return debugfs_create_dir("zswap_c", parent);
}

#undef KMEM_CACHE
#define KMEM_CACHE(s, flags)			c_cache("c_" #s, sizeof(struct s), __alignof__(struct s), flags)
#define debugfs_create_dir(name, parent)	c_debugfs_dir(parent)
#define shrinker_alloc(flags, name)		shrinker_alloc(flags, "c-" name)
#define snprintf(to, size, format, ...)		snprintf(to, size, "c_" format, __VA_ARGS__)

#include "../../../../mm/zswap.c"

struct workqueue_struct *c_zswap_shrink_queue(void)
{
	return shrink_wq;
}

struct workqueue_struct *zswap_shrink_queue(void)
{
	extern struct workqueue_struct *zswap_shrink_wq;

	return zswap_shrink_wq;
}
