// SPDX-License-Identifier: GPL-2.0-or-later
// An object is used after it was published, when another task may free it; or while it is charged,
// or while the batch changes.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        list_lru::{Batch, Charged, Item, Prepared},
        memalloc::Memalloc,
        memcontrol::{ZswapCharged, ZswapObject},
    },
    slab::Object,
};

pub fn attack<'a, T: Item<Charged = ZswapCharged<O>>, O: ZswapObject>(
    mut batch: Batch<T>,
    object: Object<T>,
    prepared: &Prepared<'a, T>,
    memalloc: &Memalloc,
) -> (Charged<'a, T>, usize) {
    let one = batch.iter().next();
    #[cfg(control)]
    let bytes = one.map(|object| object.charged().bytes());
    batch.push(object); //~[attack] E0502
    #[cfg(attack)]
    let bytes = one.map(|object| object.charged().bytes());
    let other = batch.iter().next();
    let charged = batch.charge(prepared, memalloc); //~[attack] E0505
    #[cfg(attack)]
    let bytes = other.map(|object| object.charged().bytes());
    (charged, bytes.unwrap_or(0))
}
