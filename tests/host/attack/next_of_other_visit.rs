// SPDX-License-Identifier: GPL-2.0-or-later
// One visit's outcome is returned for another: a visit that has dropped the lock ends
// with the outcome of one that hasn't.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    mm::list_lru::{Item, ListLru, Next},
};

pub fn attack<A: Item, B: Item>(nid: NumaNode) {
    let (mut one, mut two) = (1, 1);
    ListLru::<A>::walk(nid, None, &mut one, |visit| {
        #[cfg(attack)]
        let mut kept = None::<Next<'_>>;
        ListLru::<B>::walk(nid, None, &mut two, |other| {
            let next = other.rotate(); //~[attack] E0521
            #[cfg(attack)]
            kept.replace(next);
            #[cfg(attack)]
            loop {}
            #[cfg(control)]
            next
        });
        #[cfg(attack)]
        return kept.unwrap_or(visit.rotate()); //~[attack] ERROR: lifetime may not live long enough
        visit.rotate()
    });
}
