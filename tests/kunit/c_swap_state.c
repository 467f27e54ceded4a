// SPDX-License-Identifier: GPL-2.0
/*
 * The swap cache in C, in the same kernel as the swap cache in Rust: includes mm/swap_state.c,
 * under other names. It works on the same swap tables. Only its state of readahead is separate.
 */

/* Enables all of the file, and the declarations for it. */
#undef CONFIG_SWAP_CACHE_RUST

#define swap_cache_get_folio		c_swap_cache_get_folio
#define swap_cache_has_folio		c_swap_cache_has_folio
#define swap_cache_get_shadow		c_swap_cache_get_shadow
#define __swap_cache_add_folio		__c_swap_cache_add_folio
#define __swap_cache_del_folio		__c_swap_cache_del_folio
#define swap_cache_del_folio		c_swap_cache_del_folio
#define __swap_cache_replace_folio	__c_swap_cache_replace_folio
#define swap_cache_alloc_folio		c_swap_cache_alloc_folio
#define swapin_sync			c_swapin_sync
#define read_swap_cache_async		c_read_swap_cache_async
#define swap_cluster_readahead		c_swap_cluster_readahead
#define swapin_readahead		c_swapin_readahead
#define swap_update_readahead		c_swap_update_readahead
/* Functions that are in C with either implementation. */
#define swap_space			c_swap_space
#define show_swap_cache_info		c_show_swap_cache_info
#define free_swap_cache			c_free_swap_cache
#define free_folio_and_swap_cache	c_free_folio_and_swap_cache
#define free_pages_and_swap_cache	c_free_pages_and_swap_cache

#include <linux/init.h>

/* The kernel's mm/swap_state.c registers the files in sysfs and the sysctl. */
#undef subsys_initcall
#define subsys_initcall(fn) static initcall_t c_##fn __initdata __used = fn

#include "../../../../mm/swap_state.c"

void c_swap_page_cluster(int cluster);

/* As the sysctl vm.page-cluster. */
void c_swap_page_cluster(int cluster)
{
	page_cluster = cluster;
}
