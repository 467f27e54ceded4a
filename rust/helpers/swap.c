// SPDX-License-Identifier: GPL-2.0

#include <linux/mempolicy.h>
#include <linux/swap.h>
#include <linux/swapops.h>

#include <../../mm/swap_table.h>

/* folio->swap is in nested anonymous unions, for which bindgen generates names. */
__rust_helper swp_entry_t rust_helper_folio_swap(const struct folio *folio)
{
	return folio->swap;
}

__rust_helper void rust_helper_put_swap_device(struct swap_info_struct *si)
{
	put_swap_device(si);
}

__rust_helper struct mempolicy *rust_helper_current_task_policy(void)
{
	return get_task_policy(current);
}

/*
 * As in swap_zeromap_batch(), for the slot of page @n. The caller holds the folio's
 * lock, so the zeromap bit can't change.
 */
__rust_helper bool rust_helper_folio_swap_is_zero(const struct folio *folio,
						  unsigned long n)
{
	bool zero;

	rcu_read_lock();
	zero = __swap_table_test_zero(__swap_entry_to_cluster(folio->swap),
				      swp_cluster_offset(folio->swap) + n);
	rcu_read_unlock();
	return zero;
}

/*
 * As in swap_zeromap_folio_set(), for some slots: bit 0 of @bits is for the slot of
 * page @n, bit 1 for the next one, and so on.
 */
__rust_helper void rust_helper_folio_swap_set_zero(struct folio *folio, unsigned long n,
						   unsigned long bits)
{
	struct swap_cluster_info *ci = swap_cluster_get_and_lock(folio);
	unsigned int bit;

	for_each_set_bit(bit, &bits, BITS_PER_LONG)
		__swap_table_set_zero(ci, swp_cluster_offset(folio->swap) + n + bit);
	swap_cluster_unlock(ci);
}
