// SPDX-License-Identifier: GPL-2.0-or-later
// An item that isn't in slab memory is added to a list: which list follows from its page, but
// memory from vmalloc() or the stack isn't in a slab's page.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::list_lru::{Item, ListLru, Prepared},
    slab::Object,
};

pub fn attack<T: Item>(one: &T, other: &Object<T>, prepared: &Prepared<'_, T>) {
    #[cfg(attack)]
    ListLru::add(one, prepared); //~[attack] E0308
    ListLru::add(other.borrow(), prepared);
}
