/* SPDX-License-Identifier: GPL-2.0 */
/* zswap in C, in a kernel whose zswap is in Rust: see c_zswap.c. */
#ifndef _C_ZSWAP_H
#define _C_ZSWAP_H

#include <linux/mm_types.h>

struct mem_cgroup;
struct workqueue_struct;

extern atomic_long_t c_zswap_stored_pages;
unsigned long c_zswap_total_pages(void);
bool c_zswap_store(struct folio *folio);
int c_zswap_load(struct folio *folio);
void c_zswap_invalidate(swp_entry_t swp);
int c_zswap_swapon(int type, unsigned long nr_pages);
void c_zswap_swapoff(int type);
void c_zswap_memcg_offline_cleanup(struct mem_cgroup *memcg);
void c_zswap_folio_swapin(struct folio *folio);
bool c_zswap_is_enabled(void);
bool c_zswap_never_enabled(void);

/* The workqueue of the worker that writes back when the pool limit is reached. */
struct workqueue_struct *c_zswap_shrink_queue(void);
struct workqueue_struct *zswap_shrink_queue(void);

#endif
