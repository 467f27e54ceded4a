// SPDX-License-Identifier: GPL-2.0-or-later
// "The entry can be freed as soon as we drop the LRU lock", says shrink_memcg_cb(), but it once
// accessed the entry after that (docs/races.md: 7).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    mm::list_lru::{Item, ListLru, Unlocked, Visit},
};

pub fn attack<'v, T: Item>(visit: Visit<'v, T>, look: impl FnOnce(&T)) -> Unlocked<'v> {
    let object = visit.object();
    #[cfg(control)]
    look(object);
    let unlocked = visit.rotate_and_unlock(); //~[attack] E0505
    #[cfg(attack)]
    look(object);
    unlocked
}

pub fn count<T: Item>(nid: NumaNode) -> usize {
    ListLru::<T>::count(nid, None)
}
