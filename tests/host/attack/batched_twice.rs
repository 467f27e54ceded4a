// SPDX-License-Identifier: GPL-2.0-or-later
// list_lru_add() of an object that is on a list already: an object is in one batch, once, and is
// published once.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::{
        list_lru::{Batch, Charged, Item},
        swap_slots::{Leaves, Listed, Published, Slots, Unpublished},
    },
    prelude::*,
    slab::Object,
};

type Stored<'f, T> = Result<(usize, Published<'f, T>), (Unpublished<'f, T>, Error)>;

pub fn batched<T: Item>(one: &mut Batch<T>, other: &mut Batch<T>, object: Object<T>) {
    #[cfg(attack)]
    one.push(object);
    other.push(object); //~[attack] E0382
}

pub fn published<'f, T: Listed>(
    (slots, others): (Slots<'f, 'f, T>, Slots<'f, 'f, T>),
    charged: Charged<'_, T>,
    leaves: &'static Leaves<T>,
) -> Stored<'f, T> {
    #[cfg(attack)]
    others.publish(charged, leaves, GFP_KERNEL)?;
    slots.publish(charged, leaves, GFP_KERNEL) //~[attack] E0382
}

#[cfg(attack)]
pub fn copied<T: Listed>(batch: &Batch<T>, charged: &Charged<'_, T>) {
    drop::<Batch<T>>(batch.clone()); //~[attack] E0308
    drop::<Charged<'_, T>>(charged.clone()); //~[attack] E0308
}
