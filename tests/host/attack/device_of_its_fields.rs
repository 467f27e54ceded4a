// SPDX-License-Identifier: GPL-2.0-or-later
// Struct literals forge a reference to a device, and a slot that is being freed.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::{swap::SwapDevice, swap_slots::FreedSlot, swapops::SwapEntry};

pub fn attack(entry: SwapEntry, freed: FreedSlot<'_, Note>) -> Option<SwapDevice> {
    #[cfg(attack)]
    let freed = FreedSlot { offset: 7, ..freed }; //~[attack] E0451
                                                  //~[attack]^ E0451
                                                  //~[attack]^^ E0451
    #[cfg(attack)]
    let device = SwapDevice {
        entry,                     //~[attack] E0451
        ..SwapDevice::get(entry)?  //~[attack] E0451
    };
    drop(freed.take());
    SwapDevice::get(entry)
}
