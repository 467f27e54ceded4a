// SPDX-License-Identifier: GPL-2.0-or-later
// swap_cache_del_folio() on a folio whose lock was only lent: the holder still relies on the slots,
// while freeing them calls zswap_invalidate().
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::folio::CachedFolio;

pub fn attack(folio: &mut CachedFolio<'_>) -> usize {
    #[cfg(attack)]
    folio.delete(); //~[attack] E0133
                    //~[attack]^ E0507
    folio.nr_pages()
}
