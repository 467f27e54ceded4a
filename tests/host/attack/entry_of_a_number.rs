// SPDX-License-Identifier: GPL-2.0-or-later
// A swp_entry_t made from any number: zswap would look up the trees of a device beyond the last
// number that there can be. Bits that are unpacked name a device below that.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{bindings::swp_entry_t, mm::swapops::SwapEntry};

pub fn attack(raw: swp_entry_t) -> SwapEntry {
    #[cfg(attack)]
    return SwapEntry::from_raw(raw); //~[attack] E0133
    SwapEntry::unpack(raw.val as u64)
}
