// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that another task has added, and will read, is used as our own.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::swap::{Added, NewFolio, SwapDevice};

pub fn attack(device: &SwapDevice) -> Option<NewFolio> {
    #[cfg(attack)]
    return Some(NewFolio::from_raw(core::ptr::null_mut())); //~[attack] E0624
    match device.add_folio(kernel::alloc::flags::GFP_KERNEL) {
        Added::New(folio) => Some(folio),
        Added::Present | Added::Failed(_) => None,
    }
}
