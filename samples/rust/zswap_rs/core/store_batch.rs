// SPDX-License-Identifier: GPL-2.0-or-later

//! The entries of a folio that is being stored: created one by one, charged and published together.

use super::{
    charge,
    counts::Counts,
    entry::Entry,
    free::{
        FreeBatch,
        StoredEntry, //
    },
    index::{
        LeafCache,
        LeafRef,
        SLOTS_PER_LEAF, //
    },
    lru::{
        self,
        Prepared, //
    },
    object::Object,
    page_mask::PageMask,
    slots::Slots, //
};
use core::{
    ops::Range,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    mm::{
        folio::CachedFolio,
        memalloc,
        memcontrol::ObjCgroup, //
    },
    prelude::*,
    race_point,
    slab,
    sync::aref::ARef,
    warn_on_once, //
};

/// A chain of owned entries that are on no list.
///
/// # Invariants
///
/// The links of `nr` entries, from [`lru::raw_links`], are chained by their `next` fields, from `first` to `last`; both
/// are null if `nr` is 0. This value owns the entries, which are on no list. All entries except those in `uncounted`
/// are in the totals.
struct Chain {
    first: *mut bindings::list_head,
    last: *mut bindings::list_head,
    nr: usize,
    uncounted: Counts,
}

impl Chain {
    const EMPTY: Self = Self {
        first: core::ptr::null_mut(),
        last: core::ptr::null_mut(),
        nr: 0,
        uncounted: Counts::NONE,
    };

    /// Appends an entry with `object`.
    fn push(&mut self, memory: slab::UninitBox<Entry>, object: Object) {
        self.uncounted.add(object.len());
        let entry = StoredEntry::new(memory, Entry::new(object)).into_raw();
        // SAFETY: The entry is alive. (A reference to its links would not allow access to the rest of the entry.)
        let links = unsafe { lru::raw_links(entry.as_ptr()) };
        // SAFETY: By the type invariant `last`, if it isn't null, is the links of an entry that this value owns, so no
        // other task accesses them. The links of the new entry are zeroed.
        unsafe {
            if self.last.is_null() {
                self.first = links;
            } else {
                (*self.last).next = links;
            }
        }
        // INVARIANT: The entry is chained behind the last one, and owned by this value. It is in `uncounted`.
        self.last = links;
        self.nr = self.nr.wrapping_add(1);
    }

    /// The entries, in order.
    fn entries(&mut self) -> impl Iterator<Item = &mut Entry> {
        let mut links = self.first;
        core::iter::from_fn(move || {
            if links.is_null() {
                return None;
            }
            // SAFETY: By the type invariant these are the links of an entry that this value owns while it is in the
            // chain, which is borrowed exclusively. Each entry is returned once.
            unsafe {
                let entry = lru::entry_of(links);
                links = (*links).next;
                Some(&mut *entry)
            }
        })
    }

    /// The number of entries at the head of the chain that are for slots before `offset`.
    fn count_before(&mut self, offset: usize) -> usize {
        self.entries()
            .take_while(|entry| entry.offset() < offset)
            .fold(0, |nr: usize, _| nr.wrapping_add(1))
    }

    /// Charges all entries, which must not be charged yet, to `objcg`. May sleep.
    fn charge(&mut self, objcg: &ObjCgroup) {
        let lens = self.entries().map(|entry| {
            // INVARIANT: `charge::charge` charges the entry before any other access to it.
            // SAFETY: `objcg` is alive. `charge::charge` takes the reference before this function returns, and no other
            // task can put it before.
            entry.objcg = Some(unsafe { ARef::from_raw(NonNull::from(objcg)) });
            entry.object.len()
        });
        // With `PF_MEMALLOC` the charge can't fail. Reclaim has set the flag already, but not every caller is in
        // reclaim.
        memalloc::scope(|memalloc| charge::charge(objcg, lens, memalloc));
    }

    /// Puts the first `nr` entries into their slots, which are in `leaf`, and then adds them to their LRU lists.
    ///
    /// # Safety
    ///
    /// The chain must have at least `nr` entries. The first `nr` must be for slots of `leaf`, for which the caller has
    /// a witness and has taken references, and must be charged to the objcg of `prepared`. They must stay in their
    /// slots until this returns.
    #[inline(never)] // stack: keeps its locals out of the frame from which leaves are allocated
    unsafe fn publish(&mut self, nr: usize, leaf: &mut LeafRef<'_>, prepared: Prepared<'_>) {
        let chain = self.first;
        let mut links = chain;
        for _ in 0..nr {
            // SAFETY: The caller guarantees that the chain has `nr` entries for slots of `leaf`. By the type invariant
            // `links` are those of the next entry, which the slot owns from here on.
            //
            // A previous entry is stale: the folio was stored before, and was redirtied in the swap cache.
            unsafe {
                let entry = lru::entry_of(links);
                let offset = (*entry).offset();
                drop(leaf.fill(offset, NonNull::new_unchecked(entry)));
                links = (*links).next;
            }
        }
        // INVARIANT: The chain begins after the last entry that the slots have taken over.
        self.first = links;
        self.nr = self.nr.wrapping_sub(nr);
        if links.is_null() {
            self.last = links;
        }
        race_point!("store:before_lru_add");
        let mut links = chain;
        let entries = core::iter::from_fn(|| {
            // SAFETY: By the type invariant the `nr` links are chained and from `lru::raw_links`. The entries stay in
            // their slots, so that they are not freed, until this returns. The next is found before this one is added.
            unsafe {
                let entry = &*lru::entry_of(links);
                links = (*links).next;
                Some(entry)
            }
        });
        // SAFETY: The entries are in memory of a slab cache, and were on no list. The caller guarantees that they are
        // charged to the objcg of `prepared`, and stay in their slots.
        unsafe { lru::add_each(entries.take(nr), prepared) };
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        if !self.first.is_null() {
            self.free();
        }
    }
}

impl Chain {
    /// Frees the entries of a folio that isn't stored.
    fn free(&mut self) {
        core::mem::take(&mut self.uncounted).publish();
        FreeBatch::with(|batch| {
            while let Some(links) = NonNull::new(self.first) {
                // SAFETY: By the type invariant these are the links of an entry that this value owns. An entry that is
                // freed must have zeroed links if it is on no list.
                // INVARIANT: The chain begins with the next entry.
                unsafe {
                    self.first = (*links.as_ptr()).next;
                    links.as_ptr().write_bytes(0, 1);
                    let entry = NonNull::new_unchecked(lru::entry_of(links.as_ptr()));
                    batch.free(StoredEntry::from_raw(entry));
                }
            }
        });
    }
}

/// The entries of a folio that is being stored.
///
/// # Invariants
///
/// Each entry of `chain` is for a slot of `slots` after that of the previous entry, and before index `next`.
pub(crate) struct StoreBatch<'f> {
    slots: Slots<'f, 'f>,
    chain: Chain,
    next: usize,
}

impl<'f> StoreBatch<'f> {
    /// The slots of the folio.
    pub(crate) fn slots(&self) -> &Slots<'f, 'f> {
        &self.slots
    }

    /// As [`Slots::mark_zeroes`].
    pub(crate) fn mark_zeroes(&mut self, indices: Range<usize>) -> PageMask {
        self.slots.mark_zeroes(indices)
    }

    /// Appends an entry with `object`, whose page must come after those of the previous objects in the folio. Otherwise
    /// drops the object, with a warning.
    #[inline(never)] // stack: keeps its locals out of the frame from which pages are compressed
    pub(crate) fn push(&mut self, memory: slab::UninitBox<Entry>, object: Object) {
        let index = object.word().slot().since(self.slots.folio().swap());
        if index < self.next || index >= self.slots.len() {
            return refuse(memory, object);
        }
        // INVARIANT: The entry is for that slot of the folio.
        self.next = index.wrapping_add(1);
        self.chain.push(memory, object);
    }

    /// Charges the entries, puts them into their slots, and adds them to their LRU lists. Fails like [`store`].
    #[inline(never)] // stack: keeps its locals out of store_all()'s frame
    fn publish(&mut self, prepared: Prepared<'_>, leaves: &'static LeafCache) -> Result {
        let (slots, chain) = (&self.slots, &mut self.chain);
        if let Some(objcg) = prepared.objcg() {
            chain.charge(objcg);
        }
        let tree = slots.tree().ok_or(EINVAL)?;
        let (nr_slots, nr_entries) = (slots.len(), chain.nr);
        if nr_entries != nr_slots && !others_are_zero(slots, chain) {
            return Err(EINVAL);
        }
        core::mem::take(&mut chain.uncounted).publish();
        let mut done = 0;
        while done < nr_slots {
            let (first, offset) = (done, slots.offset(done));
            done = done
                .wrapping_add(SLOTS_PER_LEAF - offset % SLOTS_PER_LEAF)
                .min(nr_slots);
            let mut nr = done.wrapping_sub(first);
            if nr_entries != nr_slots {
                // The entries of earlier leaves are no longer in the chain.
                nr = chain.count_before(slots.offset(done));
                if nr == 0 {
                    continue;
                }
            }
            let mut leaf = LeafRef::get_or_insert(tree, offset, nr, leaves)?;
            // SAFETY: The first `nr` entries are those for the slots of this leaf: they were counted, or every slot has
            // one. The batch has exclusive access to the slots, and `leaf` has `nr` references. All entries were
            // charged to the objcg of `prepared`. By the invariant of `Slots` no other task removes an entry from its
            // slot, and this function doesn't.
            unsafe { chain.publish(nr, &mut leaf, prepared) };
        }
        Ok(())
    }
}

/// Drops an object whose page is not after those of the previous objects.
fn refuse(memory: slab::UninitBox<Entry>, object: Object) {
    warn_on_once!(true);
    drop((memory, object));
}

/// Stores a folio. `make` is called with an empty batch, and adds the entries of the folio's pages. This charges them
/// to the objcg of the `Prepared` that `make` returns, puts them into the folio's slots, frees the previous entries of
/// the slots, and adds the new ones to their LRU lists, where walks find them. Returns the number of entries, and the
/// proof that the folio is stored. The slots can't be changed afterwards, since the folio's witness is borrowed for its
/// whole lifetime.
///
/// The zeromap bit of a slot without an entry must be set, by [`StoreBatch::mark_zeroes`]: otherwise its page would be
/// lost. The bit of a slot with an entry must be clear: otherwise its page would be read as zeroes.
///
/// May sleep. Fails with the error of `make`, or with that of `failed`. `failed` is called with `EINVAL` if the zeromap
/// bit of a slot without an entry is clear, the device has no trees, or `leaves` isn't open, and with `ENOMEM`. On
/// failure, returns the slots, which must be cleared: some may have their new entries already. Mirrors
/// `zswap_store_page()` of each page.
pub(crate) fn store<'f, 'p, E>(
    folio: &'f mut CachedFolio<'f>,
    leaves: &'static LeafCache,
    make: impl FnOnce(&mut StoreBatch<'f>) -> Result<Prepared<'p>, E>,
    failed: impl FnOnce(Error) -> E,
) -> Result<(usize, Published<'f>), (Unpublished<'f>, E)> {
    let mut batch = StoreBatch {
        slots: Slots::new(folio),
        chain: Chain::EMPTY,
        next: 0,
    };
    let stored = match make(&mut batch) {
        Ok(prepared) => {
            let nr = batch.chain.nr;
            batch.publish(prepared, leaves).map(|()| nr).map_err(failed)
        }
        Err(error) => Err(error),
    };
    let folio = batch.slots.folio();
    match stored {
        Ok(nr) => Ok((nr, Published(folio))),
        // INVARIANT: The batch is dropped here, with its `Slots`.
        Err(error) => Err((Unpublished(folio), error)),
    }
}

/// Whether the zeromap bit of each slot without an entry in the chain is set.
fn others_are_zero(slots: &Slots<'_, '_>, chain: &mut Chain) -> bool {
    let mut entries = chain.entries();
    let mut next = entries.next();
    (0..slots.len()).all(|index| {
        if next
            .as_ref()
            .is_some_and(|entry| entry.offset() == slots.offset(index))
        {
            next = entries.next();
            return true;
        }
        slots.folio().has_zero_mark(index)
    })
}

/// Proof that each slot of the folio whose [`CachedFolio`] has the lifetime `'f` has an entry that was stored for it,
/// or its zeromap bit set, and that no entry was removed since.
pub(crate) struct Published<'f>(&'f CachedFolio<'f>);

impl<'f> Published<'f> {
    /// The folio.
    pub(crate) fn folio(&self) -> &'f CachedFolio<'f> {
        self.0
    }
}

/// The slots of a folio that [`store`] has not filled, or not completely. One word, whereas [`Slots`] has three, since
/// it is returned on the stack.
///
/// # Invariants
///
/// No `Slots` of the folio, and no other `Unpublished` of it, exists.
pub(crate) struct Unpublished<'f>(&'f CachedFolio<'f>);

impl<'f> Unpublished<'f> {
    /// The slots, any of which may have an entry.
    pub(crate) fn slots(self) -> Slots<'f, 'f> {
        // SAFETY: By the type invariant no other `Slots` of the folio exists, and `self` is consumed.
        unsafe { Slots::of(self.0) }
    }
}
