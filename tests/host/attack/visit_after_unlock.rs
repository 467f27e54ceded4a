// SPDX-License-Identifier: GPL-2.0-or-later
// LRU_SKIP, or another status that means "the lock is still held", after it was dropped: the walk
// continues from an item that may be freed (docs/races.md: 9).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::list_lru::{Item, Next, Visit};

pub fn attack<T: Item>(visit: Visit<'_, T>) -> Next<'_> {
    let unlocked = visit.rotate_and_unlock();
    #[cfg(attack)]
    return visit.rotate(); //~[attack] E0382
    unlocked.restart()
}
