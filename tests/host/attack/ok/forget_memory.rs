// SPDX-License-Identifier: GPL-2.0-or-later
// Forgotten memory is leaked, and its contents stay valid: an entry is still on its
// list, where a walk finds it alive; one in a batch is on none, and never will be; its object keeps its pool, its charge the cgroup's
// counters. An instance that hotplug calls owns its memory, which is leaked with it.
// A shrinker that isn't registered is never called, and a state
// that is forgotten stays registered.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem::forget;
use kernel::{
    cpuhotplug::{Instance, Prepare, State},
    crypto::acompress::Compressor,
    mm::{
        list_lru::{Batch, Charged, Item},
        memcontrol::{ZswapCharged, ZswapObject},
        swap_slots::{Kept, Leaves},
        zsmalloc::{HasPool, Object, Pool},
    },
    percpu::PerCpu,
    prelude::*,
    shrinker::Shrinker,
    slab::{self, Cache, Vacant, Vacants},
};

pub fn entries<T: Item>(entry: slab::Object<T>, vacant: Vacant<T>, cache: Cache<T>) {
    forget((entry, vacant, cache));
}

pub fn together<T: Item>(entries: Batch<T>, charged: Charged<'_, T>, vacants: Vacants<T>) {
    forget((entries, charged, vacants));
}

pub fn leaves<T: Kept>(leaves: Leaves<T>) {
    forget(leaves);
}

pub fn objects<P: HasPool, O: ZswapObject>(object: Object<P>, charged: ZswapCharged<O>) {
    forget((object, charged));
}

pub fn instances<T: Prepare>(instance: Instance<T>, state: State<T>) {
    forget((instance, state));
}

pub fn others(pool: Pool, cpus: PerCpu<u32>, compressor: Compressor, shrinker: Shrinker) {
    forget((pool, cpus, compressor, shrinker));
}
