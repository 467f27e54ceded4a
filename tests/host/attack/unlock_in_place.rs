// SPDX-License-Identifier: GPL-2.0-or-later
// The list's lock is dropped with the item left at the list's head: the walk, which
// restarts there, visits the item forever.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::list_lru::{Item, Unlocked, Visit};

pub fn attack<T: Item>(visit: Visit<'_, T>) -> Unlocked<'_> {
    #[cfg(attack)]
    return visit.unlock(); //~[attack] E0599
    visit.rotate_and_unlock()
}
