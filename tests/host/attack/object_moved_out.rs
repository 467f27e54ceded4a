// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is moved out of its memory, to which lists point.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::slab::{Managed, Object};

pub fn attack<T: Managed>(object: Object<T>) -> Object<T> {
    #[cfg(attack)]
    let inner: T = *object.borrow(); //~[attack] E0507
    #[cfg(control)]
    let inner = object.borrow();
    let _ = inner;
    object
}
