// SPDX-License-Identifier: GPL-2.0-or-later
// get_swap_device() is dropped, and the slot looked at: swapoff frees the clusters meanwhile
// (docs/races.md: 33, 35, 42).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::swap::SwapDevice;

pub fn attack(device: SwapDevice) -> Option<u8> {
    let slot = device.slot();
    #[cfg(attack)]
    drop(device); //~[attack] E0505
    slot.word().count()
}
