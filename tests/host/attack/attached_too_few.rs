// SPDX-License-Identifier: GPL-2.0-or-later
// swapon without trees, or with fewer than the device has slots: each slot that is freed looks for its
// tree without asking.
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
