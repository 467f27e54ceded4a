// SPDX-License-Identifier: GPL-2.0-or-later
// The slot is used after put_swap_device(): swapoff may have freed the clusters by
// then (docs/races.md: 33, 35, 42).
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
