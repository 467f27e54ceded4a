// SPDX-License-Identifier: GPL-2.0-or-later
// swapon without trees, or with trees for fewer slots than the device has: freeing a slot looks up
// its tree without a bounds check.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::swap_slots::{Attached, DeadDevice};

pub fn attack(device: DeadDevice<'_>) -> Result<Attached<'_, Note>> {
    #[cfg(attack)]
    return Ok(()); //~[attack] E0308
    #[cfg(attack)]
    return device.attach(1, kernel::static_lock_class!()); //~[attack] E0061
    device.attach(kernel::static_lock_class!())
}
