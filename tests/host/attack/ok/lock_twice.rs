// SPDX-License-Identifier: GPL-2.0-or-later
// A deadlock, not excluded: code takes a lock that its task holds. Types don't say which locks are held; lockdep
// reports it. (Without CONFIG_SMP a spin lock is no lock: see locks_of_one_cpu.)
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    mm::{
        list_lru::{Item, ListLru},
        swap::SwapDevice,
        swap_slots::{FilledSlots, Kept},
    },
    prelude::*,
    types::ForeignOwnable,
    xarray::XArray,
};

pub fn list<T: Item>(nid: NumaNode) {
    ListLru::<T>::walk(nid, None, &mut 1, |visit| {
        ListLru::<T>::walk(nid, None, &mut 1, |visit| visit.rotate());
        visit.rotate()
    });
}

pub fn tree<T: ForeignOwnable>(tree: &XArray<T>, value: T) {
    let _guard = tree.lock();
    let _ = tree.insert(0, value, GFP_NOWAIT);
}

pub fn cluster<T: Kept>(filled: FilledSlots<'_, T>, device: &SwapDevice) {
    filled.take_each(|_| drop(device.add_folio(GFP_NOWAIT)));
}
