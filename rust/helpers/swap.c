// SPDX-License-Identifier: GPL-2.0

#include <linux/swap.h>
#include <linux/swapops.h>

__rust_helper unsigned int rust_helper_swp_type(swp_entry_t entry)
{
	return swp_type(entry);
}

__rust_helper pgoff_t rust_helper_swp_offset(swp_entry_t entry)
{
	return swp_offset(entry);
}

__rust_helper swp_entry_t rust_helper_swp_entry(unsigned long type,
						pgoff_t offset)
{
	return swp_entry(type, offset);
}

/* folio->swap sits in nested anonymous unions: not a place to name from Rust. */
__rust_helper swp_entry_t rust_helper_folio_swap(const struct folio *folio)
{
	return folio->swap;
}
