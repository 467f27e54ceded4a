// SPDX-License-Identifier: GPL-2.0

#include <linux/list.h>
#include <linux/list_lru.h>
#include <linux/memcontrol.h>
#include <linux/nodemask.h>

/* Gives the locks of the lists a lock class, as the macro in C does. */
__rust_helper int rust_helper_list_lru_init_memcg(struct list_lru *lru,
						  struct shrinker *shrinker)
{
	return list_lru_init_memcg(lru, shrinker);
}

__rust_helper void rust_helper_list_move_tail(struct list_head *list,
					      struct list_head *head)
{
	list_move_tail(list, head);
}

__rust_helper bool rust_helper_node_has_normal_memory(int nid)
{
	return node_state(nid, N_NORMAL_MEMORY);
}

__rust_helper int rust_helper_max_node_ids(void)
{
	return nr_node_ids;
}

__rust_helper int rust_helper_memcg_list_lru_alloc(struct mem_cgroup *memcg,
						   struct list_lru *lru,
						   gfp_t gfp)
{
	return memcg_list_lru_alloc(memcg, lru, gfp);
}
