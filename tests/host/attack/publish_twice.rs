// SPDX-License-Identifier: GPL-2.0-or-later
// A folio is counted, and put on the LRU, twice.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{swap::NewFolio, swap_cache::Splittable};

pub fn attack(splittable: Splittable<'_>) -> NewFolio {
    #[cfg(attack)]
    drop(splittable.publish());
    splittable.publish() //~[attack] E0382
}
