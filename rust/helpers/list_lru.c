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

/*
 * list_lru_del() for an item whose links may be zeroed: such an item is on no list.
 * Zeroes the links of an item that it removes: they may be moved out of the item,
 * and must not point to its former neighbours.
 */
__rust_helper void rust_helper_list_lru_del_zeroed(struct list_lru *lru,
						   struct list_head *item,
						   int nid,
						   struct mem_cgroup *memcg)
{
	struct list_lru_one *l = list_lru_lock(lru, nid, &memcg);

	if (item->next) {
		__list_lru_del(lru, l, item, nid);
		item->next = NULL;
		item->prev = NULL;
	}
	list_lru_unlock(l);
}

__rust_helper void rust_helper_list_move_tail(struct list_head *list,
					      struct list_head *head)
{
	list_move_tail(list, head);
}
