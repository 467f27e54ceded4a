// SPDX-License-Identifier: GPL-2.0-or-later
// Objects are charged, and then their batch takes an object that isn't, or they are charged to
// another cgroup: what is published goes to the list of a cgroup that it isn't charged to.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::{
        list_lru::{Batch, Prepared},
        memalloc::Memalloc,
        memcontrol::{ZswapCharged, ZswapObject},
        swap_slots::{Leaves, Listed, Published, Slots, Unpublished},
    },
    prelude::*,
    slab::Object,
};

type Stored<'f, T> = Result<(usize, Published<'f, T>), (Unpublished<'f, T>, Error)>;

pub fn attack<'f, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
    slots: Slots<'f, 'f, T>,
    (batch, object): (&mut Batch<T>, Object<T>),
    (prepared, other): (&Prepared<'_, T>, &Prepared<'_, T>),
    memalloc: &Memalloc,
    leaves: &'static Leaves<T>,
) -> Stored<'f, T> {
    #[cfg(control)]
    batch.push(object);
    #[cfg(control)]
    batch.charge(other, memalloc);
    let charged = batch.charge(prepared, memalloc);
    #[cfg(attack)]
    batch.push(object); //~[attack] E0499
    #[cfg(attack)]
    batch.charge(other, memalloc); //~[attack] E0499
    slots.publish(charged, leaves, GFP_KERNEL)
}
