// SPDX-License-Identifier: GPL-2.0-or-later
// An allocated object is used before it was written: "many things
// rely on the zero-initialization".
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::slab::{Managed, Object, Vacant};

pub fn attack<T: Managed>(vacant: Vacant<T>, value: T) -> Object<T> {
    #[cfg(attack)]
    let _ = vacant.borrow(); //~[attack] E0599
    vacant.write(value)
}
