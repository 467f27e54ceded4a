// SPDX-License-Identifier: GPL-2.0

#include <linux/list.h>
#include <linux/list_lru.h>
#include <linux/memcontrol.h>

/* A macro in C. */
__rust_helper int rust_helper_list_lru_init_memcg(struct list_lru *lru,
						  struct shrinker *shrinker)
{
	return list_lru_init_memcg(lru, shrinker);
}

/* C has no stub: without CONFIG_MEMCG, no cgroup exists for which it is called. */
__rust_helper int rust_helper_list_lru_alloc_memcg(struct mem_cgroup *memcg,
						   struct list_lru *lru,
						   gfp_t gfp)
{
#ifdef CONFIG_MEMCG
	return memcg_list_lru_alloc(memcg, lru, gfp);
#else
	return 0;
#endif
}

__rust_helper void rust_helper_list_move_tail(struct list_head *list,
					      struct list_head *head)
{
	list_move_tail(list, head);
}
