// SPDX-License-Identifier: GPL-2.0-or-later

//! Freeing entries.

use super::{
    charge::Sum,
    entry::Entry,
    lru, //
};
use core::{
    mem::ManuallyDrop,
    ops::Deref,
    ptr::NonNull, //
};
use kernel::{
    mm::memcontrol::ObjCgroup,
    slab,
    sync::aref::ARef, //
};

/// An owned entry: the owner is a slot of the index, or the task that has removed the entry from the index. A walk over
/// an LRU list may be accessing the entry concurrently.
///
/// Dropping it frees the entry, like a [`FreeBatch`] of one entry.
pub(crate) struct StoredEntry(ManuallyDrop<slab::Box<Entry>>);

impl StoredEntry {
    /// # Safety
    ///
    /// `entry` must be one that `LeafRef::fill` put into a slot, and the caller must give up its ownership.
    pub(super) unsafe fn from_raw(entry: NonNull<Entry>) -> Self {
        // SAFETY: The caller guarantees that `entry` is from `fill`, which took it from a `slab::Box`, and owns it.
        Self(ManuallyDrop::new(unsafe { slab::Box::from_raw(entry) }))
    }
}

impl Deref for StoredEntry {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        &self.0
    }
}

impl Drop for StoredEntry {
    fn drop(&mut self) {
        // SAFETY: The field isn't used again, since `self` is being dropped.
        let entry = unsafe { ManuallyDrop::take(&mut self.0) };
        FreeBatch::with(|batch| batch.free_box(entry));
    }
}

/// Frees entries, with one uncharge and one update of the totals for a run. Cf. `struct mmu_gather`.
///
/// # Invariants
///
/// `sum` is in the totals. It is charged to `objcg`, if that is `Some`, and this value owns the references.
#[derive(Default)]
pub(super) struct FreeBatch {
    objcg: Option<NonNull<ObjCgroup>>,
    sum: Sum,
}

impl FreeBatch {
    /// Calls `f`, which frees entries. May be called under spin locks and with interrupts disabled.
    pub(super) fn with<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        let mut batch = Self::default();
        let ret = f(&mut batch);
        batch.end();
        ret
    }

    /// Frees an entry.
    #[inline] // make bench: for each entry that is freed
    pub(super) fn free(&mut self, entry: StoredEntry) {
        let mut entry = ManuallyDrop::new(entry);
        // SAFETY: `entry` isn't used again, and isn't dropped.
        self.free_box(unsafe { ManuallyDrop::take(&mut entry.0) });
    }

    /// Mirrors `zswap_entry_free()`, but uncharges and counts at the end of the run.
    #[inline(always)] // make bench: for each entry that is freed or loaded
    fn free_box(&mut self, entry: slab::Box<Entry>) {
        // Waits for a walk that accesses the entry. Afterwards no other task can reach it.
        lru::del(&entry);
        let (Entry { object, objcg, .. }, memory) = slab::Box::into_parts(entry);
        let len = object.len();
        drop(object); // zs_free(), zswap_pool_put()
        drop(memory); // zswap_entry_cache_free()
        let objcg = objcg.map(ARef::into_raw);
        if self.objcg != objcg || !self.sum.has_room(len) {
            if self.sum.entries() != 0 {
                core::mem::take(self).end_run();
            }
            self.objcg = objcg;
        }
        // INVARIANT: The entry is in the totals, and hands over its charge and its reference. `objcg` is that of the
        // entries before.
        self.sum.add(len);
    }

    /// Ends a run before the last one.
    #[cold]
    fn end_run(self) {
        self.end();
    }

    /// Ends the run: obj_cgroup_uncharge_zswap(), obj_cgroup_put().
    #[inline(always)] // make bench: for each entry that is loaded
    fn end(self) {
        self.sum.count(-1);
        if let Some(objcg) = self.objcg {
            // SAFETY: By the type invariant the entries are charged to it, and this value owns the references.
            unsafe { self.sum.uncharge(objcg) };
        }
    }
}
