// SPDX-License-Identifier: GPL-2.0-or-later
// An item that isn't in slab memory is put on a list: which one follows from its page, which memory
// of vmalloc() or the stack doesn't have.
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
