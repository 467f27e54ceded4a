// SPDX-License-Identifier: GPL-2.0

#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/swap.h>

__rust_helper void rust_helper_folio_put(struct folio *folio)
{
	folio_put(folio);
}

__rust_helper long rust_helper_folio_nr_pages(const struct folio *folio)
{
	return folio_nr_pages(folio);
}

__rust_helper bool rust_helper_folio_test_large(const struct folio *folio)
{
	return folio_test_large(folio);
}

/* Of a folio that is passed as locked and in the swap cache. */
__rust_helper void rust_helper_folio_check_cached(struct folio *folio)
{
	VM_WARN_ON_ONCE_FOLIO(!folio_test_locked(folio), folio);
	VM_WARN_ON_ONCE_FOLIO(!folio_test_swapcache(folio), folio);
}

__rust_helper void rust_helper_folio_mark_uptodate(struct folio *folio)
{
	folio_mark_uptodate(folio);
}

__rust_helper void rust_helper_folio_set_reclaim(struct folio *folio)
{
	folio_set_reclaim(folio);
}

__rust_helper struct page *rust_helper_folio_page(struct folio *folio,
						  unsigned long n)
{
	return folio_page(folio, n);
}

/* As in is_folio_zero_filled(): the last word first, since often only the end isn't zero. */
__rust_helper bool rust_helper_page_is_zero_filled(const struct page *page)
{
	const unsigned long *data = kmap_local_page(page);
	bool zero = !data[PAGE_SIZE / sizeof(*data) - 1] &&
		    !memchr_inv(data, 0, PAGE_SIZE);

	kunmap_local(data);
	return zero;
}

__rust_helper void rust_helper_flush_dcache_page(struct page *page)
{
	flush_dcache_page(page);
}

__rust_helper void rust_helper_clear_highpage(struct page *page)
{
	clear_highpage(page);
}
