// SPDX-License-Identifier: GPL-2.0-or-later
// A callback returns no status: C would use whatever is in the register.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    mm::list_lru::{Item, ListLru},
};

pub fn attack<T: Item>(nid: NumaNode) {
    ListLru::<T>::walk(nid, None, &mut 1, |visit| {
        #[cfg(attack)]
        return drop(visit); //~[attack] E0308
        visit.rotate()
    });
}
