// SPDX-License-Identifier: GPL-2.0-or-later
// swapon succeeds for a device without trees: another device has got trees.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::swap_slots::{Attached, DeadDevice};

#[cfg(attack)]
pub fn another<'a, 'b>(one: DeadDevice<'a>, other: DeadDevice<'b>) -> Result<Attached<'a, Note>> {
    other.attach(kernel::static_lock_class!()) //~[attack] ERROR: lifetime may not live long enough
                                               //~[attack]^ ERROR: lifetime may not live long enough
}

#[cfg(control)]
pub fn attack(device: DeadDevice<'_>) -> Result<Attached<'_, Note>> {
    device.attach(kernel::static_lock_class!())
}
