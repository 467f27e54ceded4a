// SPDX-License-Identifier: GPL-2.0-or-later
// A copied handle is freed twice, or in another pool.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::zsmalloc::{HasPool, Object};

pub fn attack<P: HasPool>(object: &Object<P>) -> usize {
    #[cfg(attack)]
    return object.handle; //~[attack] E0616
    object.len()
}
