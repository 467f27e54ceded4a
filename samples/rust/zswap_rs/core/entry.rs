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
/// The object is complete before the entry is in the index. Its reference to the objcg and its charge, then its list,
/// follow when its [`Group`](super::store::Group) is published: until then only the store, which holds the folio's lock,
/// can reach it. The task that removes the entry from the index owns it, and frees it: see
/// [`FreeBatch`](super::free::FreeBatch).
///
/// # Invariants
///
/// If `objcg` is `Some`, the object's bytes and one page are charged to it, and the entry owns the reference: from when
/// its group is published.
pub(crate) struct Entry {
    pub(super) object: Object,
    pub(super) objcg: Option<ARef<ObjCgroup>>,
    pub(super) links: Links,
}

const _: () = assert!(size_of::<Entry>() == 40);

/// The links of an entry in its LRU list.
///
/// # Invariants
///
/// A zeroed `struct list_head`, unless the entry is on one of the lists of [`LRU`](super::lru::LRU).
#[repr(transparent)]
pub(super) struct Links(Opaque<bindings::list_head>);

// SAFETY: The links are accessed under the lock of their list.
unsafe impl Send for Links {}
// SAFETY: Only `lru` changes them through a shared reference, under the lock of their list.
unsafe impl Sync for Links {}

impl Links {
    /// Whether the entry is on a list. The caller must own the entry, so that no other task adds or removes it. (A walk
    /// may move it.)
    pub(super) fn are_in_use(&self) -> bool {
        // Like READ_ONCE() in `list_empty()`.
        // SAFETY: The field is part of `self`. A walk that moves the entry writes only pointers other than null to it.
        !unsafe { (&raw const (*self.0.get()).next).read_volatile() }.is_null()
    }
}

/// The identity of an entry: it can be compared, not dereferenced.
///
/// An equal identity is that of the same entry, or of an entry that was allocated later at the same
/// address for the same slot. The owner of the slot may treat both in the same way.
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
    /// An entry that is on no list, to be charged to `objcg` before any other access to it.
    pub(super) fn new(object: Object, objcg: Option<ARef<ObjCgroup>>) -> Self {
        // INVARIANT: The links are zeroed. The caller charges the entry.
        Self {
            object,
            objcg,
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

    /// Clears the `referenced` flag, and returns whether it was set. The list must be locked.
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
    pub(crate) fn swap(&self) -> SwapEntry {
        self.object.word().slot()
    }

    /// The compressed page.
    pub(crate) fn object(&self) -> &Object {
        &self.object
    }

    /// The cgroup that the entry is charged to.
    pub(crate) fn objcg(&self) -> Option<&ObjCgroup> {
        self.objcg.as_deref()
    }
}
