// SPDX-License-Identifier: GPL-2.0-or-later
// A word of the swap table is taken for a folio, and is a shadow: an address made of an eviction's
// time (the XArray's xa_is_value() forgotten).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    swap_cache::{Slot, SlotWord},
    swap_table::Pfn,
};

pub fn attack(slot: Slot<'_>) -> Option<Pfn> {
    match slot.word() {
        SlotWord::Folio(pfn, _) => Some(pfn),
        #[cfg(attack)]
        SlotWord::Shadow(shadow, _) => Some(shadow), //~[attack] E0308
        _ => None,
    }
}
