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

/// An entry that is owned: by a slot of the index, or by the task that has taken it out. A walk over the LRU may be
/// looking at it.
///
/// Dropping it is a [`FreeBatch`] of one.
pub(crate) struct StoredEntry(ManuallyDrop<slab::Box<Entry>>);

impl StoredEntry {
    /// # Safety
    ///
    /// `entry` must be from [`StoredEntry::into_raw`], and is handed over.
    #[inline]
    pub(super) unsafe fn from_raw(entry: NonNull<Entry>) -> Self {
        // SAFETY: It was a `StoredEntry`, which the caller hands over.
        Self(ManuallyDrop::new(unsafe { slab::Box::from_raw(entry) }))
    }

    /// A counted entry in memory of its own.
    #[inline]
    pub(super) fn new(memory: slab::UninitBox<Entry>, entry: Entry) -> Self {
        Self(ManuallyDrop::new(memory.write(entry)))
    }

    /// Gives up the entry: its owner has to make this [of it](StoredEntry::from_raw) again.
    #[inline]
    pub(super) fn into_raw(self) -> NonNull<Entry> {
        ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Deref for StoredEntry {
    type Target = Entry;

    #[inline]
    fn deref(&self) -> &Entry {
        &self.0
    }
}

impl Drop for StoredEntry {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: It isn't used again: this is its end.
        let entry = unsafe { ManuallyDrop::take(&mut self.0) };
        FreeBatch::with(|batch| batch.free_box(entry));
    }
}

/// Entries that are freed together: with one uncharge and one count for a run. Cf. `struct mmu_gather`.
pub(crate) struct FreeBatch {
    uncharge: UnchargeBatch,
    counts: Counts,
}

impl FreeBatch {
    /// Calls `f` to free entries. Any context in which a slot may be freed: under spin locks, with interrupts off.
    #[inline]
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
    #[inline]
    pub(crate) fn free(&mut self, entry: StoredEntry) {
        let mut entry = ManuallyDrop::new(entry);
        // SAFETY: It isn't used again, and isn't dropped.
        self.free_box(unsafe { ManuallyDrop::take(&mut entry.0) });
    }

    /// Mirrors `zswap_entry_free()`.
    #[inline(always)]
    fn free_box(&mut self, entry: slab::Box<Entry>) {
        // Waits for a walk that looks at the entry: after this it is ours alone.
        lru::del(&entry);
        let (Entry { object, objcg, .. }, memory) = slab::Box::into_parts(entry);
        let len = object.len();
        drop(object); // zs_free(), zswap_pool_put()
        if let Some(objcg) = objcg {
            self.uncharge.add(objcg, len); // obj_cgroup_uncharge_zswap(), obj_cgroup_put()
        }
        drop(memory); // zswap_entry_cache_free()
        self.counts.add(len);
    }
}
