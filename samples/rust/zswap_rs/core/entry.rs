// SPDX-License-Identifier: GPL-2.0-or-later

//! An entry: one page in zswap.

use super::object::Object;
use kernel::{
    bindings,
    mm::{
        memcontrol::ObjCgroup,
        swapops::SwapEntry, //
    },
    sync::aref::ARef,
    types::Opaque, //
};

/// One page in zswap. Mirrors `struct zswap_entry`, which has 56 bytes.
///
/// | bytes | field | C's fields                                       |
/// |-------|-------|--------------------------------------------------|
/// | 16    | `object` | `pool`, `length`, `swpentry`, `referenced`, `handle` |
/// | 8     | `objcg`  | `objcg`                                       |
/// | 16    | `links`  | `lru`                                         |
///
/// All is set before the entry is published in the index. The task that takes it out of the index owns it, and
/// frees it: see [`FreeBatch`](super::free::FreeBatch).
///
/// # Invariants
///
/// If there is an `objcg`, the object's bytes and one page are charged to it, and the reference is the entry's.
/// It is written only while the entry is in a [`StoreBatch`](super::store_batch::StoreBatch).
pub(crate) struct Entry {
    pub(super) object: Object,
    pub(super) objcg: Option<ARef<ObjCgroup>>,
    pub(super) links: Links,
}

const _: () = assert!(size_of::<Entry>() == 40);

/// What ties an entry to its LRU list, or to the next entry of its batch.
///
/// # Invariants
///
/// A zeroed `struct list_head`, unless the entry is on one of the lists of [`LRU`](super::lru::LRU), or in a
/// [`StoreBatch`](super::store_batch::StoreBatch).
#[repr(transparent)]
pub(super) struct Links(Opaque<bindings::list_head>);

// SAFETY: The links are looked at and changed under the lock of their list.
unsafe impl Send for Links {}
// SAFETY: Only `lru` uses them through a shared reference: under the lock of their list.
unsafe impl Sync for Links {}

impl Links {
    /// For C. A pointer that is good for the links alone.
    #[inline]
    pub(super) fn as_raw(&self) -> *mut bindings::list_head {
        self.0.get()
    }

    /// Whether the entry, which is the caller's, is on a list: nobody else puts it there or takes it off.
    /// (A walk may move it.)
    #[inline]
    pub(super) fn are_in_use(&self) -> bool {
        // As `list_empty()` has it, by READ_ONCE().
        // SAFETY: It is part of `self`. A walk that moves the entry writes other pointers to it.
        !unsafe { (&raw const (*self.0.get()).next).read_volatile() }.is_null()
    }
}

/// The identity of an entry: it can be compared, not dereferenced.
///
/// An equal identity is that of the same entry, or of one allocated at the same address for the same
/// slot, which is as good: the owner of the slot may treat either the same.
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

impl Entry {
    /// An entry that is charged to nobody and on no list.
    #[inline]
    pub(super) fn new(object: Object) -> Self {
        // INVARIANT: There is no group. The links are zeroed.
        Self {
            object,
            objcg: None,
            links: Links(Opaque::zeroed()),
        }
    }

    /// The identity of the entry.
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            swap: self.swap(),
            address: core::ptr::from_ref(self).addr(),
        }
    }

    /// Takes the second chance away, and returns whether there was one. The list must be locked.
    ///
    /// Mirrors `entry->referenced` in `shrink_memcg_cb()`.
    pub(crate) fn use_second_chance(&self) -> bool {
        let had = self.object.word().referenced();
        if had {
            self.object.clear_referenced();
        }
        had
    }

    /// The slot that the entry was stored for.
    #[inline]
    pub(crate) fn swap(&self) -> SwapEntry {
        self.object.word().slot()
    }

    /// The offset of that slot on its device.
    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.object.word().offset()
    }

    /// The compressed page.
    pub(crate) fn object(&self) -> &Object {
        &self.object
    }

    /// The cgroup that the entry is charged to.
    #[inline]
    pub(crate) fn objcg(&self) -> Option<&ObjCgroup> {
        self.objcg.as_deref()
    }
}
