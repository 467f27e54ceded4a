// SPDX-License-Identifier: GPL-2.0-or-later
// The result of swap_cache_alloc_folio() is dropped unused, which leaves the folio locked
// forever in C (docs/races.md: 2).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::swap::{Added, SwapDevice},
};

pub fn attack(device: &SwapDevice) {
    #[cfg(attack)]
    device.add_folio(GFP_KERNEL); //~[attack] unused_must_use
    #[cfg(control)]
    drop(device.add_folio(GFP_KERNEL));
}

pub fn is_there(added: &Added) -> bool {
    matches!(added, Added::Present)
}
