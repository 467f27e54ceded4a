// SPDX-License-Identifier: GPL-2.0-or-later
// A forgotten reference pins its object: a device against swapoff, which waits; a pool,
// a cgroup, a folio, a policy against being freed, as long as the machine runs. A pool
// that is forgotten before it was added to its list is on none, and has a reference: it
// is never found, and never freed.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem::forget;
use kernel::{
    mm::{
        folio::Folio,
        memcontrol::{Cursor, MemCgroup, ObjCgroup},
        mempolicy::VmaPolicy,
        swap::SwapDevice,
        swap_cache::FreshFolio,
    },
    sync::{
        aref::ARef,
        generations::{Detached, Ref},
    },
};

pub fn device(device: SwapDevice) {
    forget(device);
}

pub fn pools<T: Send + Sync>(pool: Ref<T>, detached: Detached<T>) {
    forget((pool, detached));
}

pub fn groups(memcg: ARef<MemCgroup>, objcg: ARef<ObjCgroup>, cursor: Cursor) {
    forget((memcg, objcg, cursor));
}

pub fn folios(folio: ARef<Folio>, fresh: FreshFolio, policy: VmaPolicy<'_>) {
    forget((folio, fresh, policy));
}
