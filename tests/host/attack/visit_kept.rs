// SPDX-License-Identifier: GPL-2.0-or-later
// An item that the walk has visited is kept beyond the list's lock.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    mm::list_lru::{Item, ListLru},
};

pub fn attack<T: Item>(nid: NumaNode, is: fn(&T) -> bool) -> bool {
    let mut kept = None;
    ListLru::<T>::walk(nid, None, &mut 1, |visit| {
        let object = visit.object(); //~[attack] E0597
        #[cfg(attack)]
        kept.replace(object); //~[attack] E0521
        #[cfg(control)]
        kept.replace(is(object));
        visit.rotate() //~[attack] E0505
    });
    #[cfg(attack)]
    let kept = kept.map(is);
    kept.unwrap_or(false)
}
