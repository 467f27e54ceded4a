// SPDX-License-Identifier: GPL-2.0-or-later
// The folio whose number was in a word a moment ago may be freed and used for something else: it is
// got only if it is still in use and still the slot's, which is for Slot::folio() to see
// (docs/races.md: 36).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::Folio, swap_cache::Slot, swap_table::Pfn},
    sync::aref::ARef,
};

pub fn attack(slot: Slot<'_>, pfn: Pfn) -> Option<ARef<Folio>> {
    #[cfg(attack)]
    return Some(pfn.folio()); //~[attack] E0599
    let _ = pfn.get();
    slot.folio()
}
