// SPDX-License-Identifier: GPL-2.0-or-later
// An item that isn't in slab memory is added to a list: which list follows from its page, but
// memory from vmalloc() or the stack isn't in a slab's page.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::list_lru::{Batch, Item},
    slab::{Object, ObjectRef},
};

pub fn attack<T: Item>(batch: &mut Batch<T>, one: T, two: ObjectRef<'_, T>, other: Object<T>) {
    #[cfg(attack)]
    batch.push(one); //~[attack] E0308
    #[cfg(attack)]
    batch.push(two); //~[attack] E0308
    batch.push(other);
}
