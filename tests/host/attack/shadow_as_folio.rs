// SPDX-License-Identifier: GPL-2.0-or-later
// A swap-table entry with a shadow is used as a folio: an address made from an eviction's timestamp
// (the XArray's xa_is_value() check is missing).
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
