// SPDX-License-Identifier: GPL-2.0-or-later
// list_lru_add() for a cgroup without lists fails, or adds to a list where list_lru_del() doesn't
// look: memcg_list_lru_alloc() has to come first.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::list_lru::{Item, ListLru, Prepared},
    slab::ObjectRef,
};

pub fn attack<'a, T: Item, U: Item>(
    object: ObjectRef<'a, T>,
    prepared: &Prepared<'a, T>,
    others: &Prepared<'a, U>,
) {
    #[cfg(attack)]
    ListLru::add(object); //~[attack] E0061
    #[cfg(attack)]
    ListLru::add(object, others); //~[attack] E0308
    ListLru::add(object, prepared);
}
