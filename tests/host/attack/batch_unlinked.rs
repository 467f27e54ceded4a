// SPDX-License-Identifier: GPL-2.0-or-later
// The links of an object in a batch tie it to the next, and not to a list: list_lru_del() of it
// corrupts memory. What a batch lends isn't known as an object that could be on a list.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::list_lru::{Batch, Item, ListLru},
    slab::Object,
};

pub fn attack<T: Item>(batch: &Batch<T>, own: &Object<T>) {
    for object in batch.iter() {
        #[cfg(attack)]
        ListLru::remove(object); //~[attack] E0308
        let _ = object;
    }
    ListLru::remove(own.borrow());
}
