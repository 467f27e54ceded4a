// SPDX-License-Identifier: GPL-2.0

#include <linux/blk_plug.h>
#include <linux/delayacct.h>
#include <linux/huge_mm.h>
#include <linux/memcontrol.h>
#include <linux/mempolicy.h>
#include <linux/pagemap.h>
#include <linux/psi.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/vmstat.h>

#include <../../mm/internal.h>
#include <../../mm/swap_table.h>

__rust_helper struct swap_cluster_info *
rust_helper_swap_entry_to_cluster(swp_entry_t entry)
{
	return __swap_entry_to_cluster(entry);
}

__rust_helper unsigned long
rust_helper_swap_table_get(struct swap_cluster_info *ci, unsigned int off)
{
	return swap_table_get(ci, off);
}

__rust_helper void rust_helper_swap_cluster_spin_lock(struct swap_cluster_info *ci)
{
	VM_WARN_ON_ONCE(!in_task());
	spin_lock(&ci->lock);
}

__rust_helper void rust_helper_swap_cluster_unlock(struct swap_cluster_info *ci)
{
	swap_cluster_unlock(ci);
}

/* Null if the cluster has no table. The caller holds the cluster's lock. */
__rust_helper atomic_long_t *
rust_helper_swap_cluster_table(struct swap_cluster_info *ci)
{
	lockdep_assert_held(&ci->lock);
	return rcu_dereference_protected(ci->table, lockdep_is_held(&ci->lock));
}

__rust_helper bool
rust_helper_swap_table_test_zero(struct swap_cluster_info *ci, unsigned int off)
{
	return __swap_table_test_zero(ci, off);
}

__rust_helper unsigned short
rust_helper_swap_cgroup_get(struct swap_cluster_info *ci, unsigned int off)
{
	return __swap_cgroup_get(ci, off);
}

__rust_helper struct swap_info_struct *
rust_helper_swap_entry_to_info(swp_entry_t entry)
{
	return __swap_entry_to_info(entry);
}

/*
 * The number of slots that zswap holds, of @nr from @first on, not counting those in @zeroes
 * (bit 0 for @first). Their cluster is locked; they are in use, and have no folio.
 */
__rust_helper unsigned int
rust_helper_swap_slots_in_zswap(swp_entry_t first, unsigned int nr, unsigned long zeroes)
{
#ifdef CONFIG_ZSWAP_LARGE_SWAPIN
	return zswap_holds(first, nr, zeroes);
#else
	return 0;
#endif
}

/* As swap_read_folio(), for a large folio whose slots zswap holds. Doesn't unlock the folio. */
__rust_helper int rust_helper_swap_fill_from_zswap(struct folio *folio)
{
#ifdef CONFIG_ZSWAP_LARGE_SWAPIN
	bool workingset = folio_test_workingset(folio);
	unsigned long pflags;
	bool in_thrashing;
	int ret;

	if (workingset) {
		delayacct_thrashing_start(&in_thrashing);
		psi_memstall_enter(&pflags);
	}
	delayacct_swapin_start();
	ret = zswap_fill(folio);
	if (workingset) {
		delayacct_thrashing_end(&in_thrashing);
		psi_memstall_leave(&pflags);
	}
	delayacct_swapin_end();
	return ret;
#else
	return -EINVAL;
#endif
}

__rust_helper struct folio *rust_helper_pfn_folio(unsigned long pfn)
{
	return pfn_folio(pfn);
}

__rust_helper unsigned long rust_helper_folio_pfn(const struct folio *folio)
{
	return folio_pfn(folio);
}

/* Safe Rust may forget references: a count of 2^31 of them is not incremented further. */
__rust_helper bool rust_helper_folio_try_get(struct folio *folio)
{
	return folio_ref_count(folio) >= 0 && folio_try_get(folio);
}

__rust_helper void rust_helper_folio_put_refs(struct folio *folio, int refs)
{
	folio_put_refs(folio, refs);
}

__rust_helper void rust_helper_folio_ref_add(struct folio *folio, int nr)
{
	folio_ref_add(folio, nr);
}

__rust_helper void rust_helper_folio_ref_sub(struct folio *folio, int nr)
{
	folio_ref_sub(folio, nr);
}

/* No other task may have a reference to the folio: these operations aren't atomic. */
__rust_helper void rust_helper_folio_init_swapin(struct folio *folio)
{
	__folio_set_locked(folio);
	__folio_set_swapbacked(folio);
}

/* folio->swap is in nested anonymous unions, for which bindgen generates names. */
__rust_helper void rust_helper_folio_enter_swapcache(struct folio *folio,
						     swp_entry_t entry)
{
	folio_set_swapcache(folio);
	folio->swap = entry;
}

__rust_helper void rust_helper_folio_leave_swapcache(struct folio *folio)
{
	folio->swap.val = 0;
	folio_clear_swapcache(folio);
}

__rust_helper void rust_helper_folio_count_swapcache(struct folio *folio, long nr)
{
	node_stat_mod_folio(folio, NR_FILE_PAGES, nr);
	lruvec_stat_mod_folio(folio, NR_SWAPCACHE, nr);
}

/* As __swap_cache_add_folio() in C. */
__rust_helper void rust_helper_folio_check_add(struct folio *folio)
{
	VM_WARN_ON_ONCE_FOLIO(!folio_test_locked(folio), folio);
	VM_WARN_ON_ONCE_FOLIO(folio_test_swapcache(folio), folio);
	VM_WARN_ON_ONCE_FOLIO(!folio_test_swapbacked(folio), folio);
}

/* As __swap_cache_do_del_folio() in C. */
__rust_helper void rust_helper_folio_check_delete(struct folio *folio, swp_entry_t entry,
						  struct swap_cluster_info *ci)
{
	VM_WARN_ON_ONCE_FOLIO(__swap_entry_to_cluster(entry) != ci, folio);
	VM_WARN_ON_ONCE_FOLIO(folio_test_writeback(folio), folio);
}

/* As __swap_cache_replace_folio() in C. */
__rust_helper void rust_helper_folio_check_replace(struct folio *new)
{
	VM_WARN_ON_ONCE_FOLIO(!folio_test_swapcache(new), new);
	VM_WARN_ON_ONCE_FOLIO(!folio_test_locked(new), new);
	VM_WARN_ON_ONCE_FOLIO(!new->swap.val, new);
}

__rust_helper void rust_helper_folio_set_readahead(struct folio *folio)
{
	folio_set_readahead(folio);
}

__rust_helper bool rust_helper_folio_test_clear_readahead(struct folio *folio)
{
	return folio_test_clear_readahead(folio);
}

/* An inline stub without CONFIG_TRANSPARENT_HUGEPAGE. */
__rust_helper int rust_helper_folio_prepare_split(struct folio *folio)
{
	return folio_memcg_alloc_deferred(folio);
}

__rust_helper int rust_helper_swapin_charge_folio(struct folio *folio,
						  unsigned short id,
						  struct vm_fault *vmf, gfp_t gfp)
{
	struct mm_struct *mm = vmf ? vmf->vma->vm_mm : NULL;

	return mem_cgroup_swapin_charge_folio(folio, id, mm, gfp);
}

__rust_helper void rust_helper_memcg1_swapin(struct folio *folio)
{
	memcg1_swapin(folio);
}

__rust_helper void rust_helper_memcg1_swapout(struct folio *folio,
					      struct swap_cluster_info *ci)
{
	__memcg1_swapout(folio, ci);
}

__rust_helper void rust_helper_workingset_refault(struct folio *folio, void *shadow)
{
	workingset_refault(folio, shadow);
}

/*
 * Allocates a folio for a swap-in: by @mpol, or for the fault @vmf. For a large folio, limits
 * the flags to those for a huge page: a no-op for GFP_HIGHUSER_MOVABLE, but not for shmem.
 */
__rust_helper struct folio *
rust_helper_swapin_alloc_folio(gfp_t *gfp, unsigned int order,
			       struct vm_fault *vmf, struct mempolicy *mpol,
			       pgoff_t ilx)
{
	/* Without huge pages the order is always 0. */
	if (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) && order)
		*gfp = thp_shmem_limit_gfp_mask(vma_thp_gfp_mask(vmf ? vmf->vma : NULL),
						*gfp);
	if (mpol || !vmf)
		return folio_alloc_mpol(*gfp, order, mpol, ilx, numa_node_id());
	return vma_alloc_folio(*gfp, order, vmf->vma,
			       round_down(vmf->address, PAGE_SIZE << order));
}

__rust_helper bool rust_helper_vmf_pte_is_exclusive(const struct vm_fault *vmf)
{
	return pte_swp_exclusive(vmf->orig_pte);
}

/* An inline stub without CONFIG_TRANSPARENT_HUGEPAGE. */
__rust_helper unsigned long
rust_helper_vmf_allowable_orders(struct vm_fault *vmf, unsigned long orders)
{
	return thp_vma_allowable_orders(vmf->vma, vmf->vma->vm_flags,
					TVA_PAGEFAULT, orders);
}

static __always_inline bool was_accessed(pte_t *pte)
{
	pte_t entry = ptep_get_lockless(pte);

	return pte_present(entry) && pte_young(entry);
}

/*
 * Whether the page before the aligned block of 2^@order pages around the fault,
 * or the page behind it, is mapped and was accessed since that was last checked.
 * The block must be within the page table of @vmf; a page that isn't doesn't
 * count.
 */
__rust_helper bool
rust_helper_vmf_has_young_beside(struct vm_fault *vmf, unsigned int order)
{
	unsigned long start = vmf->address & (PAGE_MASK << order);
	unsigned long end = start + (PAGE_SIZE << order);
	pte_t *pte = pte_offset_map(vmf->pmd, start);
	bool young;

	if (!pte)
		return false;
	young = ((start & ~PMD_MASK) && was_accessed(pte - 1)) ||
		((end & ~PMD_MASK) && was_accessed(pte + (1UL << order)));
	pte_unmap(pte);
	return young;
}

/*
 * Whether at least @least of the @nr pages from @addr on are mapped and were
 * accessed since that was last checked. They must be in the page table of @vmf.
 * Returns as soon as that is certain. The page table may change meanwhile.
 */
__rust_helper bool
rust_helper_vmf_has_young(struct vm_fault *vmf, unsigned long addr,
			  unsigned int nr, unsigned int least)
{
	pte_t *pte = pte_offset_map(vmf->pmd, addr);
	unsigned int i, young = 0;

	if (!pte)
		return false;
	for (i = 0; i < nr && young < least && young + nr - i >= least; i++)
		young += was_accessed(pte + i);
	pte_unmap(pte);
	return young >= least;
}

/* CPUs that don't set access bits leave all pages young, and contpte has one bit for 16 pages. */
__rust_helper bool rust_helper_pte_young_is_exact(void)
{
	return arch_has_hw_pte_young() && !IS_ENABLED(CONFIG_ARM64_CONTPTE);
}

/*
 * The pages that can be charged to the cgroup of @vmf's process, or of this task
 * if it is NULL, before it or one of its ancestors reaches memory.max or memory.high.
 * As C's mem_cgroup_margin(), which has neither memory.high nor the ancestors.
 *
 * None with cgroup v1: slots that are charged to memory and swap are uncharged
 * when they get a folio, and remain so if it is deleted before it is mapped.
 */
__rust_helper unsigned long rust_helper_vmf_memcg_room(struct vm_fault *vmf)
{
	unsigned long room = ULONG_MAX;
#ifdef CONFIG_MEMCG
	struct mm_struct *mm = vmf ? vmf->vma->vm_mm : current->mm;
	struct mem_cgroup *memcg;

	if (mem_cgroup_disabled())
		return room;
	if (!cgroup_subsys_on_dfl(memory_cgrp_subsys))
		return 0;
	if (!mm)
		return room;
	rcu_read_lock();
	memcg = mem_cgroup_from_task(rcu_dereference(mm->owner));
	for (; memcg && !mem_cgroup_is_root(memcg); memcg = parent_mem_cgroup(memcg)) {
		unsigned long limit = min(READ_ONCE(memcg->memory.max),
					  READ_ONCE(memcg->memory.high));
		unsigned long usage = page_counter_read(&memcg->memory);

		room = min(room, limit > usage ? limit - usage : 0);
	}
	rcu_read_unlock();
#endif
	return room;
}

__rust_helper void rust_helper_count_mthp_stat(int order, enum mthp_stat_item item)
{
	count_mthp_stat(order, item);
}

__rust_helper struct mempolicy *
rust_helper_get_vma_policy(struct vm_area_struct *vma, unsigned long addr,
			   int order, pgoff_t *ilx)
{
	return get_vma_policy(vma, addr, order, ilx);
}

__rust_helper void rust_helper_mpol_cond_put(struct mempolicy *pol)
{
	mpol_cond_put(pol);
}

/* PMD_SIZE is not a constant on every architecture. */
__rust_helper unsigned long rust_helper_page_table_span(void)
{
	return PMD_SIZE;
}

__rust_helper bool rust_helper_swap_has_rotating_device(void)
{
	return atomic_read(&nr_rotate_swap);
}
