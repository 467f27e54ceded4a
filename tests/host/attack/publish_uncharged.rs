// SPDX-License-Identifier: GPL-2.0-or-later
// Objects are put on a cgroup's list and charged to another cgroup, or to none: they are removed
// from another list, under its lock. Only charging them gives what can be published.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::{
        list_lru::{Batch, Charged},
        swap_slots::{Leaves, Listed, Published, Slots, Unpublished},
    },
    prelude::*,
};

type Stored<'f, T> = Result<(usize, Published<'f, T>), (Unpublished<'f, T>, Error)>;

pub fn attack<'f, T: Listed>(
    slots: Slots<'f, 'f, T>,
    one: Batch<T>,
    other: Charged<'_, T>,
    leaves: &'static Leaves<T>,
) -> Stored<'f, T> {
    #[cfg(attack)]
    slots.publish(one, leaves, GFP_KERNEL)?; //~[attack] E0308
    slots.publish(other, leaves, GFP_KERNEL)
}
