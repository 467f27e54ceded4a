// SPDX-License-Identifier: GPL-2.0-or-later
// A deadlock, not excluded: code sleeps under a spin lock, of a list or of a cluster. What spins for it on this CPU
// never gets it. Types don't say which locks are held; might_sleep() reports it.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    mm::{
        list_lru::{Item, ListLru},
        swap_slots::{FilledSlots, Kept},
    },
    prelude::*,
    sync::Mutex,
};

pub fn walk<T: Item>(nid: NumaNode, mutex: Pin<&Mutex<u32>>) {
    ListLru::<T>::walk(nid, None, &mut 1, |visit| {
        drop(mutex.lock());
        visit.rotate()
    });
}

pub fn free<T: Kept>(filled: FilledSlots<'_, T>, mutex: Pin<&Mutex<u32>>) {
    filled.take_each(|_| drop(mutex.lock()));
}
