// SPDX-License-Identifier: GPL-2.0-or-later

//! The entries of a folio that is being stored: made one by one, charged and published together.

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

/// Entries that are owned, and on no list.
///
/// # Invariants
///
/// The links of `nr` entries, from [`lru::raw_links`], are chained by their `next`, from `first` to `last`; both
/// are null if there is none. The entries are ours, and on no list. All but those in `uncounted` are in the totals.
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

    /// Makes an entry of `object`.
    #[inline]
    fn push(&mut self, memory: slab::UninitBox<Entry>, object: Object) {
        self.uncounted.add(object.len());
        let entry = StoredEntry::new(memory, Entry::new(object)).into_raw();
        // SAFETY: The entry is alive. (Not by a reference to its links: the entry is reached from these.)
        let links = unsafe { lru::raw_links(entry.as_ptr()) };
        // SAFETY: `last`, if it isn't null, is the links of an entry of ours, by the type invariant: nobody else looks at
        // them. Those of the new entry are zeroed.
        unsafe {
            if self.last.is_null() {
                self.first = links;
            } else {
                (*self.last).next = links;
            }
        }
        // INVARIANT: The entry is chained behind the last, and ours. It isn't counted.
        self.last = links;
        self.nr = self.nr.wrapping_add(1);
    }

    /// The entries, in order.
    #[inline]
    fn entries(&mut self) -> impl Iterator<Item = &mut Entry> {
        let mut links = self.first;
        core::iter::from_fn(move || {
            if links.is_null() {
                return None;
            }
            // SAFETY: By the type invariant these are the links of an entry of ours alone, as long as it is in the chain,
            // which is borrowed. Each comes once.
            unsafe {
                let entry = lru::entry_of(links);
                links = (*links).next;
                Some(&mut *entry)
            }
        })
    }

    /// How many entries are for slots before `offset`.
    #[cold]
    #[inline(never)]
    fn count_before(&mut self, offset: usize) -> usize {
        self.entries()
            .take_while(|entry| entry.offset() < offset)
            .fold(0, |nr: usize, _| nr.wrapping_add(1))
    }

    /// Charges all of them, which are charged to nobody, to `objcg`. May sleep.
    #[inline]
    fn charge(&mut self, objcg: &ObjCgroup) {
        let lens = self.entries().map(|entry| {
            // INVARIANT: Charged by `charge` below, before any other access.
            // SAFETY: The group is alive. The reference is taken by `charge`, before this function returns, and nobody
            // else can put it sooner.
            entry.objcg = Some(unsafe { ARef::from_raw(NonNull::from(objcg)) });
            entry.object.len()
        });
        // The charge is forced, as in reclaim, which is such a scope already; not all who store are in it.
        memalloc::scope(|memalloc| charge::charge(objcg, lens, memalloc));
    }

    /// Fills the slots of the first `nr` entries, in `leaf`, with them, and then puts them on their lists.
    ///
    /// Not inlined, to keep its locals out of the stack frame from which leaves are allocated.
    ///
    /// # Safety
    ///
    /// There must be as many entries, at least one, all for slots of `leaf` that are the caller's and that references
    /// were got for, and charged to the group of `prepared`. They must stay in their slots until this returns.
    #[inline(never)]
    unsafe fn publish(&mut self, nr: usize, leaf: &mut LeafRef<'_>, prepared: Prepared<'_>) {
        let chain = self.first;
        let mut links = chain;
        for _ in 0..nr {
            // SAFETY: There are `nr` entries, and by the type invariant these are the links of the next, which is the
            // slot's from here on. What was in the slot is stale: the folio was stored before, and was redirtied in
            // the swap cache.
            unsafe {
                let entry = lru::entry_of(links);
                let offset = (*entry).offset();
                drop(leaf.fill(offset, NonNull::new_unchecked(entry)));
                links = (*links).next;
            }
        }
        // INVARIANT: The chain begins after the last entry that is no longer ours.
        self.first = links;
        self.nr = self.nr.wrapping_sub(nr);
        if links.is_null() {
            self.last = links;
        }
        race_point!("store:before_lru_add");
        // SAFETY: By our requirement, and the type invariant.
        unsafe { lru::add_chain(chain, nr, prepared) };
    }
}

impl Drop for Chain {
    #[inline]
    fn drop(&mut self) {
        if !self.first.is_null() {
            self.free();
        }
    }
}

impl Chain {
    /// Frees the entries of a folio that isn't stored.
    #[cold]
    #[inline(never)]
    fn free(&mut self) {
        core::mem::take(&mut self.uncounted).publish();
        FreeBatch::with(|batch| {
            while let Some(links) = NonNull::new(self.first) {
                // SAFETY: By the type invariant these are the links of an entry of ours, which is freed. Links of an
                // entry on no list are zeroed.
                // INVARIANT: The chain begins with the next.
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
/// Each entry of `chain` is for a slot of `slots`, after that of the entry before, and before index `next`.
pub(crate) struct StoreBatch<'f> {
    slots: Slots<'f, 'f>,
    chain: Chain,
    next: usize,
}

impl<'f> StoreBatch<'f> {
    /// The slots of the folio.
    #[inline]
    pub(crate) fn slots(&self) -> &Slots<'f, 'f> {
        &self.slots
    }

    /// As [`Slots::mark_zeroes`].
    #[inline]
    pub(crate) fn mark_zeroes(&mut self, indices: Range<usize>) -> PageMask {
        self.slots.mark_zeroes(indices)
    }

    /// Makes an entry of `object`, which must be of a later page of the folio than those before: others are dropped,
    /// with a warning. Not inlined, to keep its locals out of the stack frame in which pages are compressed.
    #[inline(never)]
    pub(crate) fn push(&mut self, memory: slab::UninitBox<Entry>, object: Object) {
        let index = object.word().slot().since(self.slots.folio().swap());
        if index < self.next || index >= self.slots.len() {
            return refuse(memory, object);
        }
        // INVARIANT: The entry is for that slot of the folio.
        self.next = index.wrapping_add(1);
        self.chain.push(memory, object);
    }

    /// Charges the entries, fills the slots with them, and puts each on its list. Fails like [`store`].
    ///
    /// Not inlined, to keep its locals out of the stack frame in which pages are compressed.
    #[inline(never)]
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
                // Those of earlier leaves are gone.
                nr = chain.count_before(slots.offset(done));
                if nr == 0 {
                    continue;
                }
            }
            let mut leaf = LeafRef::get_or_insert(tree, offset, nr, leaves)?;
            // SAFETY: There are `nr` entries for the slots of this leaf, and they are the next: counted, or one for each slot.
            // By the invariant of `Slots` nobody else takes an entry out of its slot, and we don't before this returns.
            unsafe { chain.publish(nr, &mut leaf, prepared) };
        }
        Ok(())
    }
}

/// Drops an object that isn't of the next page.
#[cold]
#[inline(never)]
fn refuse(memory: slab::UninitBox<Entry>, object: Object) {
    warn_on_once!(true);
    drop((memory, object));
}

/// Stores a folio. `make` gets a batch without entries, and adds those of the folio's pages. They are charged to the
/// group of the lists that it returns, put into the folio's slots, and put on their LRU lists, where walks find them.
/// What a slot had before is freed. Returns how many entries there were, and the proof that it was done. Nothing can
/// change the slots after that: the folio's witness is borrowed for all its time.
///
/// A slot without an entry must have the zero mark, of [`StoreBatch::mark_zeroes`]: its page would be lost. A slot
/// with an entry must not: it would be read as zeroes.
///
/// May sleep. Fails with what `make` fails with, or with what `failed` makes of `EINVAL`, if a slot without
/// an entry has no mark, the device has no trees or `leaves` isn't open, or of `ENOMEM`. What is returned then gives
/// the slots back, to be cleared: those of some leaves may have their entries. Mirrors `zswap_store_page()` of each
/// page.
#[inline]
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
        // INVARIANT: The batch ends here, with its `Slots`.
        Err(error) => Err((Unpublished(folio), error)),
    }
}

/// Whether all slots of the folio have the zero mark that get no entry.
#[cold]
#[inline(never)]
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

/// Proof that each slot of the folio whose [`CachedFolio`] had the lifetime `'f` has an entry that was stored for
/// it, or the zero mark, and that none was taken out since.
pub(crate) struct Published<'f>(&'f CachedFolio<'f>);

impl<'f> Published<'f> {
    /// The folio.
    #[inline]
    pub(crate) fn folio(&self) -> &'f CachedFolio<'f> {
        self.0
    }
}

/// The slots of a folio that [`store`] has not filled, or not all of them. One word, where [`Slots`] has
/// three: it is returned on the stack.
///
/// # Invariants
///
/// There is no `Slots` of the folio, and there is no other `Unpublished`.
pub(crate) struct Unpublished<'f>(&'f CachedFolio<'f>);

impl<'f> Unpublished<'f> {
    /// The slots, of which any may have an entry.
    #[inline]
    pub(crate) fn slots(self) -> Slots<'f, 'f> {
        // SAFETY: By the type invariant there is no other, and `self` ends here.
        unsafe { Slots::of(self.0) }
    }
}
