// SPDX-License-Identifier: GPL-2.0-or-later
// A batch drops its objects, or hands them to another owner, after they were charged and before
// they are published: the slots and the lists get memory that was freed.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::{
        list_lru::{Batch, Charged, Prepared},
        memalloc::Memalloc,
        memcontrol::{ZswapCharged, ZswapObject},
        swap_slots::{Leaves, Listed, Published, Slots, Unpublished},
    },
    prelude::*,
};

type Stored<'f, T> = Result<(usize, Published<'f, T>), (Unpublished<'f, T>, Error)>;

pub fn dropped<'f, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
    slots: Slots<'f, 'f, T>,
    mut batch: Batch<T>,
    prepared: &Prepared<'_, T>,
    memalloc: &Memalloc,
    leaves: &'static Leaves<T>,
) -> Stored<'f, T> {
    let charged = batch.charge(prepared, memalloc);
    #[cfg(attack)]
    drop(batch); //~[attack] E0505
    slots.publish(charged, leaves, GFP_KERNEL)
}

pub fn replaced<'f, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
    slots: Slots<'f, 'f, T>,
    batch: &mut Batch<T>,
    prepared: &Prepared<'_, T>,
    memalloc: &Memalloc,
    leaves: &'static Leaves<T>,
) -> Stored<'f, T> {
    let charged = batch.charge(prepared, memalloc);
    #[cfg(attack)]
    drop(core::mem::replace(batch, Batch::new())); //~[attack] E0499
    slots.publish(charged, leaves, GFP_KERNEL)
}

#[cfg(attack)]
pub fn returned<'a, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
    mut batch: Batch<T>,
    prepared: &Prepared<'a, T>,
    memalloc: &Memalloc,
) -> Charged<'a, T> {
    batch.charge(prepared, memalloc) //~[attack] E0515
}
