// SPDX-License-Identifier: GPL-2.0-or-later
// A caller that drops an object has it to itself first, and keeps that access until it is freed; or has
// it while others may look at it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::slab::{Managed, Object};

pub fn attack<T: Managed>(object: Object<T>, other: Object<T>) {
    #[cfg(attack)]
    {
        let mut kept = None;
        object.drop_after(|object| kept = Some(object)); //~[attack] E0521
        let lent = other.borrow();
        other.drop_after(|_| ()); //~[attack] E0505
        drop(lent);
        drop(other); //~[attack] E0382
    }
    #[cfg(control)]
    object.drop_after(|_| drop(other));
}
