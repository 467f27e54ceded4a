// SPDX-License-Identifier: GPL-2.0-or-later

//! What is kept for a swap slot.

use super::{
    compress::Meta,
    pool::Pool,
    stats, //
};
use kernel::{
    impl_list_lru_item,
    mm::{
        list_lru::{
            Links,
            ListLru, //
        },
        memalloc::Memalloc,
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
    sync::{
        aref::ARef,
        atomic::ordering::Relaxed, //
    },
};

/// The bytes of a page in a pool.
pub(crate) type Object = zsmalloc::Object<Pool, Meta>;

/// One page in zswap.
///
/// Everything in it is set before it is published in a tree, and given back when it is dropped: the
/// object to the pool, the charge to the cgroup. Dropping is allowed wherever a slot may be freed,
/// under spin locks with interrupts off: nothing in here sleeps. It begins with taking the entry off
/// the list that it is on, while all of it is still there.
pub(crate) struct Entry {
    swap: SwapEntry,
    object: ZswapCharged<Object>,
    lru: Links,
}

// There are as many as pages in zswap: no larger than C's.
const _: () = assert!(size_of::<Entry>() == 56);

/// An entry, owned. Others may be looking at it.
pub(crate) type StoredEntry = slab::Object<Entry>;

/// The entries in the order of their age, for each node and cgroup.
pub(crate) static LRU: ListLru<Entry> = ListLru::new();

impl_list_lru_item! {
    impl Item for Entry { links: self.lru, charged: self.object, lru: LRU }
}

/// Which entry this is: to be compared, not looked at.
///
/// Says that an entry is the same, or one made at the same place for the same slot, which is as
/// good: whoever has the slot may do with either what he would have done.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Identity {
    swap: SwapEntry,
    address: usize,
}

impl Identity {
    /// The slot that the entry was stored for.
    pub(crate) fn swap(self) -> SwapEntry {
        self.swap
    }
}

/// The entries of all swap slots.
pub(crate) static TREES: SlotTrees<StoredEntry> = SlotTrees::new(c"zswap_tree");

impl Entry {
    /// An entry for slot `swap`, charged to `objcg` and counted.
    pub(crate) fn new(
        swap: SwapEntry,
        object: Object,
        objcg: Option<ARef<ObjCgroup>>,
        memalloc: &Memalloc,
    ) -> Self {
        stats::stored(object.meta.form);
        Self {
            swap,
            object: ZswapCharged::new(object, objcg, memalloc),
            lru: Links::new(),
        }
    }

    /// Which entry this is.
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            swap: self.swap,
            address: core::ptr::from_ref(self).addr(),
        }
    }

    /// Whether the entry had a second chance, which it has no longer. Under the list's lock.
    pub(crate) fn use_second_chance(&self) -> bool {
        let referenced = &self.object.meta.referenced;
        let had = referenced.load(Relaxed);
        if had {
            referenced.store(false, Relaxed);
        }
        had
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

impl Drop for Entry {
    fn drop(&mut self) {
        stats::forgotten(self.object.meta.form);
    }
}
