// SPDX-License-Identifier: GPL-2.0

#include <linux/mm.h>
#include <linux/slab.h>

/* Not the _noprof binding: memory allocation profiling must account this call. */
__rust_helper void *rust_helper_kmem_cache_alloc_node(struct kmem_cache *cache,
						      gfp_t flags, int node)
{
	return kmem_cache_alloc_node(cache, flags, node);
}

__rust_helper bool rust_helper_kmem_cache_alloc_bulk(struct kmem_cache *cache,
						     gfp_t flags, size_t nr,
						     void **p)
{
	return kmem_cache_alloc_bulk(cache, flags, nr, p);
}

__rust_helper int rust_helper_numa_mem_id(void)
{
	return numa_mem_id();
}

__rust_helper struct page *rust_helper_virt_to_page(const void *addr)
{
	return virt_to_page(addr);
}
