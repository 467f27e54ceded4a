// SPDX-License-Identifier: GPL-2.0

/*
 * Depending on CONFIG_MEMCG and CONFIG_ZSWAP, each of these functions is extern,
 * inline or an empty stub. The helper has the same name in each configuration.
 */

#include <linux/memcontrol.h>

__rust_helper void rust_helper_obj_cgroup_get(struct obj_cgroup *objcg)
{
	obj_cgroup_get(objcg);
}

__rust_helper void rust_helper_obj_cgroup_put(struct obj_cgroup *objcg)
{
	obj_cgroup_put(objcg);
}

__rust_helper void rust_helper_obj_cgroup_get_many(struct obj_cgroup *objcg,
						   unsigned long nr)
{
#ifdef CONFIG_MEMCG
	obj_cgroup_get_many(objcg, nr);
#endif
}

/* C has no such function: obj_cgroup_put() puts one reference. */
__rust_helper void rust_helper_obj_cgroup_put_many(struct obj_cgroup *objcg,
						   unsigned long nr)
{
#ifdef CONFIG_MEMCG
	if (!obj_cgroup_is_root(objcg))
		percpu_ref_put_many(&objcg->refcnt, nr);
#endif
}

__rust_helper bool rust_helper_obj_cgroup_is_root(const struct obj_cgroup *objcg)
{
	return obj_cgroup_is_root(objcg);
}

__rust_helper bool rust_helper_memcg_on_dfl(void)
{
#ifdef CONFIG_MEMCG
	return cgroup_subsys_on_dfl(memory_cgrp_subsys);
#else
	return false;
#endif
}

__rust_helper int rust_helper_obj_cgroup_charge(struct obj_cgroup *objcg,
						gfp_t gfp, size_t size)
{
#ifdef CONFIG_MEMCG
	return obj_cgroup_charge(objcg, gfp, size);
#else
	return 0;
#endif
}

__rust_helper void rust_helper_obj_cgroup_uncharge(struct obj_cgroup *objcg,
						   size_t size)
{
#ifdef CONFIG_MEMCG
	obj_cgroup_uncharge(objcg, size);
#endif
}

__rust_helper void rust_helper_mod_memcg_state(struct mem_cgroup *memcg,
					       enum memcg_stat_item idx, int val)
{
	mod_memcg_state(memcg, idx, val);
}

__rust_helper bool rust_helper_obj_cgroup_may_zswap(struct obj_cgroup *objcg)
{
	return obj_cgroup_may_zswap(objcg);
}

__rust_helper void rust_helper_count_objcg_events(struct obj_cgroup *objcg,
						  enum vm_event_item idx,
						  unsigned long count)
{
	count_objcg_events(objcg, idx, count);
}

__rust_helper struct obj_cgroup *
rust_helper_get_obj_cgroup_from_folio(struct folio *folio)
{
	return get_obj_cgroup_from_folio(folio);
}

__rust_helper struct mem_cgroup *rust_helper_folio_memcg(struct folio *folio)
{
	return folio_memcg(folio);
}

__rust_helper bool
rust_helper_mem_cgroup_zswap_writeback_enabled(struct mem_cgroup *memcg)
{
	return mem_cgroup_zswap_writeback_enabled(memcg);
}

__rust_helper struct lruvec *rust_helper_folio_lruvec(struct folio *folio)
{
	return folio_lruvec(folio);
}

__rust_helper void rust_helper_mem_cgroup_get(struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	css_get(&memcg->css);
#endif
}

__rust_helper void rust_helper_mem_cgroup_put(struct mem_cgroup *memcg)
{
	mem_cgroup_put(memcg);
}

__rust_helper bool rust_helper_mem_cgroup_disabled(void)
{
	return mem_cgroup_disabled();
}

__rust_helper u64 rust_helper_mem_cgroup_id(struct mem_cgroup *memcg)
{
	return mem_cgroup_id(memcg);
}

__rust_helper bool rust_helper_mem_cgroup_online(struct mem_cgroup *memcg)
{
	return mem_cgroup_online(memcg);
}

__rust_helper bool rust_helper_mem_cgroup_tryget_online(struct mem_cgroup *memcg)
{
	return mem_cgroup_tryget_online(memcg);
}

__rust_helper struct mem_cgroup *
rust_helper_mem_cgroup_iter(struct mem_cgroup *root, struct mem_cgroup *prev,
			    struct mem_cgroup_reclaim_cookie *reclaim)
{
	return mem_cgroup_iter(root, prev, reclaim);
}

__rust_helper struct mem_cgroup *
rust_helper_obj_cgroup_memcg(struct obj_cgroup *objcg)
{
#ifdef CONFIG_MEMCG
	return obj_cgroup_memcg(objcg);
#else
	return NULL;
#endif
}

__rust_helper struct mem_cgroup *
rust_helper_get_mem_cgroup_from_objcg(struct obj_cgroup *objcg)
{
	return get_mem_cgroup_from_objcg(objcg);
}

__rust_helper struct lruvec *
rust_helper_mem_cgroup_lruvec(struct mem_cgroup *memcg, int nid)
{
	return mem_cgroup_lruvec(memcg, NODE_DATA(nid == NUMA_NO_NODE ? numa_mem_id() : nid));
}
