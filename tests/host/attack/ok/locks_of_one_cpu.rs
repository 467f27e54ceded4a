// SPDX-License-Identifier: GPL-2.0-or-later
// Memory unsafety, not excluded, in kernels without CONFIG_SMP: there a spin lock doesn't exclude code that runs
// in its own section. That is so for the kernel crate's SpinLock, too. CONFIG_DEBUG_SPINLOCK reports it. With SMP
// these programs deadlock. A pool is taken off its list twice; an object is freed that a walk is looking at.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    mm::{
        list_lru::ListLru,
        swap_slots::{FilledSlots, Listed},
    },
    prelude::*,
    slab::Object,
    sync::generations::{Detached, Generation, Generations},
};

pub fn pool<T: Generation>(list: &'static Generations<T>) -> [Option<Detached<T>>; 2] {
    let inner = core::cell::Cell::new(None);
    let outer = list.take_retired(|_| {
        inner.set(list.take_retired(|_| true));
        true
    });
    [outer, inner.take()]
}

// As take_each(), Slots::clear() hands out objects that are still on their lists.
pub fn object<T: Listed>(filled: FilledSlots<'_, T>, nid: NumaNode, look: impl Fn(&T)) {
    filled.take_each(|object: Object<T>| {
        let mut object = Some(object);
        ListLru::<T>::walk(nid, None, &mut 1, |visit| {
            let seen = visit.object();
            drop(object.take());
            look(seen);
            visit.rotate()
        });
    });
}
