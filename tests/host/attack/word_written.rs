// SPDX-License-Identifier: GPL-2.0-or-later
// A swap-table entry is written without the cluster's lock, or with an invalid value.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    swap_cache::{Slot, SlotWord},
    swap_table::Native,
};

pub fn attack(slot: Slot<'_>) -> SlotWord {
    let word = slot.word();
    #[cfg(attack)]
    let raw = Native::encode(word); //~[attack] E0624
    #[cfg(control)]
    let raw = Native::HAS_ZERO_MARK;
    let _ = raw;
    word
}
