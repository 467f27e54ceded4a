// SPDX-License-Identifier: GPL-2.0-or-later
// A swp_entry_t made from any number: zswap would look up a device that doesn't exist.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    bindings::swp_entry_t,
    mm::{folio::CachedFolio, swapops::SwapEntry},
};

pub fn attack(folio: &CachedFolio<'_>, raw: swp_entry_t) -> SwapEntry {
    #[cfg(attack)]
    let entry = SwapEntry::from_raw(raw); //~[attack] E0133
    #[cfg(control)]
    let (entry, _) = (folio.swap(), raw);
    let _ = folio;
    entry
}
