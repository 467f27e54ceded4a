// SPDX-License-Identifier: GPL-2.0-or-later
// The object is used after kmem_cache_free().
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::slab::{Managed, Object};

pub fn attack<T: Managed + Copy>(object: Object<T>) -> T {
    let borrowed = object.borrow().get();
    #[cfg(attack)]
    drop(object); //~[attack] E0505
    *borrowed
}
