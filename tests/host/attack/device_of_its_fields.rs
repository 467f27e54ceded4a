// SPDX-License-Identifier: GPL-2.0-or-later
// Struct literals forge a reference to a device, and slots that are being freed.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::{swap::SwapDevice, swap_slots::FreedSlots, swapops::SwapEntry};

pub fn attack(entry: SwapEntry, freed: FreedSlots<'_, Note>) -> Option<SwapDevice> {
    #[cfg(attack)]
    let freed = FreedSlots { nr: 512, ..freed }; //~[attack] E0451
                                                 //~[attack]^ E0451
                                                 //~[attack]^^ E0451
                                                 //~[attack]^^^ E0451
    #[cfg(attack)]
    let device = SwapDevice {
        entry,                     //~[attack] E0451
        ..SwapDevice::get(entry)?  //~[attack] E0451
    };
    drop(freed.filled());
    SwapDevice::get(entry)
}
