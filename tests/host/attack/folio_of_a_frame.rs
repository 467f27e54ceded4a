// SPDX-License-Identifier: GPL-2.0-or-later
// A folio whose frame number was read from a swap-table entry may be freed and reused by now:
// a reference may be taken only if it still is in use and still the slot's, which
// Slot::folio() checks (docs/races.md: 36).
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
