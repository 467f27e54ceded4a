// SPDX-License-Identifier: GPL-2.0-or-later
// LRU_REMOVED for an item that wasn't isolated, or was isolated twice: list_lru's count is off by
// one. A walk can't remove an item from its list; dropping the item does.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    bindings::lru_status,
    mm::list_lru::{Item, Next, Visit},
};

pub fn attack<T: Item>(visit: Visit<'_, T>) -> (Next<'_>, lru_status) {
    let removed = lru_status::LRU_REMOVED;
    #[cfg(attack)]
    return (Next::new(removed), removed); //~[attack] E0624
    #[cfg(attack)]
    visit.isolate(); //~[attack] E0599
    (visit.rotate(), removed)
}
