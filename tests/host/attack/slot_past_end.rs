// SPDX-License-Identifier: GPL-2.0-or-later
// A slot beyond the device's end, or of another device: only Slot::at() makes slots.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::swap_cache::Slot;

pub fn attack(slot: Slot<'_>) -> Option<Slot<'_>> {
    #[cfg(attack)]
    return Some(Slot {
        entry: usize::MAX, //~[attack] E0451
        ..slot             //~[attack] E0451
                           //~[attack]^ E0451
    });
    slot.at(usize::MAX)
}
