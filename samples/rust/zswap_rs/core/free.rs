// SPDX-License-Identifier: GPL-2.0-or-later

//! Freeing entries.

use super::{
    charge::UnchargeBatch,
    counts::Counts,
    entry::Entry,
    lru, //
};
use core::{
    mem::ManuallyDrop,
    ops::Deref,
    ptr::NonNull, //
};
use kernel::slab;

/// An owned entry: the owner is a slot of the index, or the task that has removed the entry from the index. A walk over
/// an LRU list may be accessing the entry concurrently.
///
/// Dropping it frees the entry, like a [`FreeBatch`] of one entry.
pub(crate) struct StoredEntry(ManuallyDrop<slab::Box<Entry>>);

impl StoredEntry {
    /// # Safety
    ///
    /// `entry` must be from [`StoredEntry::into_raw`], and the caller must give up its ownership.
    pub(super) unsafe fn from_raw(entry: NonNull<Entry>) -> Self {
        // SAFETY: The caller guarantees that `entry` is from `into_raw`, which took it from a `slab::Box`, and owns it.
        Self(ManuallyDrop::new(unsafe { slab::Box::from_raw(entry) }))
    }

    /// Writes `entry`, which is in the totals or will be added to them, into `memory`.
    pub(super) fn new(memory: slab::UninitBox<Entry>, entry: Entry) -> Self {
        Self(ManuallyDrop::new(memory.write(entry)))
    }

    /// Converts to a pointer that owns the entry: see [`StoredEntry::from_raw`].
    pub(super) fn into_raw(self) -> NonNull<Entry> {
        ManuallyDrop::new(self).0.as_ptr()
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
pub(crate) struct FreeBatch {
    uncharge: UnchargeBatch,
    counts: Counts,
}

impl FreeBatch {
    /// Calls `f`, which frees entries. May be called under spin locks and with interrupts disabled.
    pub(crate) fn with<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        let mut batch = Self {
            uncharge: UnchargeBatch::new(),
            counts: Counts::default(),
        };
        let ret = f(&mut batch);
        batch.uncharge.end();
        batch.counts.subtract();
        ret
    }

    /// Frees an entry.
    #[inline] // make bench: for each entry that is freed
    pub(crate) fn free(&mut self, entry: StoredEntry) {
        let mut entry = ManuallyDrop::new(entry);
        // SAFETY: `entry` isn't used again, and isn't dropped.
        self.free_box(unsafe { ManuallyDrop::take(&mut entry.0) });
    }

    /// Mirrors `zswap_entry_free()`, but uncharges and counts at the end of the batch.
    #[inline(always)] // make bench: for each entry that is freed or loaded
    fn free_box(&mut self, entry: slab::Box<Entry>) {
        // Waits for a walk that accesses the entry. Afterwards no other task can reach it.
        lru::del(&entry);
        let (Entry { object, objcg, .. }, memory) = slab::Box::into_parts(entry);
        let len = object.len();
        drop(object); // zs_free(), zswap_pool_put()
        if let Some(objcg) = objcg {
            self.uncharge.add(objcg, len); // for end(): obj_cgroup_uncharge_zswap(), obj_cgroup_put()
        }
        drop(memory); // zswap_entry_cache_free()
        self.counts.add(len);
    }
}
