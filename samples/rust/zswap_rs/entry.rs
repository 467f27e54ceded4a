// SPDX-License-Identifier: GPL-2.0-or-later

//! What is kept for a swap slot.

use super::{
    compress::Form,
    pool::Pool,
    stats, //
};
use kernel::{
    mm::{
        memcontrol::{
            ObjCgroup,
            ZswapCharged, //
        },
        swap::{
            SlotTrees,
            SwapEntry, //
        },
        zsmalloc,
    },
    slab,
    sync::aref::ARef, //
};

/// The bytes of a page in a pool.
pub(crate) type Object = zsmalloc::Object<Pool, Form>;

/// One page in zswap.
///
/// Everything in it is set before it is published in a tree, and given back when it is dropped: the
/// object to the pool, the charge to the cgroup. Dropping is allowed wherever a slot may be freed,
/// under spin locks with interrupts off: nothing in here sleeps.
pub(crate) struct Entry {
    swap: SwapEntry,
    object: ZswapCharged<Object>,
}

/// An entry, owned. Others may be looking at it.
pub(crate) type StoredEntry = slab::Object<Entry>;

/// The entries of all swap slots.
pub(crate) static TREES: SlotTrees<StoredEntry> = SlotTrees::new(c"zswap_tree");

impl Entry {
    /// An entry for slot `swap`, charged to `objcg` and counted.
    pub(crate) fn new(swap: SwapEntry, object: Object, objcg: Option<ARef<ObjCgroup>>) -> Self {
        stats::stored(object.meta);
        Self {
            swap,
            object: ZswapCharged::new(object, objcg),
        }
    }

    /// The slot that it was stored for.
    pub(crate) fn swap(&self) -> SwapEntry {
        self.swap
    }

    /// The bytes.
    pub(crate) fn object(&self) -> &Object {
        &self.object
    }

    /// The cgroup that it is charged to.
    pub(crate) fn objcg(&self) -> Option<&ObjCgroup> {
        self.object.objcg()
    }
}

impl slab::Managed for Entry {}

impl Drop for Entry {
    fn drop(&mut self) {
        stats::forgotten(self.object.meta);
    }
}
