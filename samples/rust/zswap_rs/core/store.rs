// SPDX-License-Identifier: GPL-2.0-or-later

//! Storing a folio: the entries of its pages are made, put into their slots, charged and added to their LRU lists, a
//! group of pages at a time.

use super::{
    charge::Sum,
    entry::Entry,
    index::{
        self,
        Leaf,
        LeafRef, //
    },
    lru::{
        self,
        Lists, //
    },
    object::Object,
    page_mask::PageMask,
    slots::{
        self,
        Slots, //
    },
};
use core::{
    ops::Range,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    mm::{
        folio::{
            CachedFolio,
            FolioPage, //
        },
        memalloc,
        swapops::SwapEntry, //
    },
    page::PAGE_SIZE,
    prelude::*,
    race_point,
    slab,
    sync::aref::ARef,
    warn_on_once, //
};

/// Stores a folio: `make` makes the entries of its pages. Returns the number of its zero-filled pages.
///
/// On success, each of its slots has an entry that `make` has made, or its zeromap bit is set: the folio need not be
/// written to the device. On failure, none of its slots has an entry, not even one of an earlier store, whose writeback
/// could overwrite newer data on the device.
///
/// May sleep. Fails with the error of `make`, or with `EINVAL` if that has left out a page. Mirrors `zswap_store()`, of
/// which `make` is the part that decides.
pub(crate) fn store<E: From<Error>>(
    folio: &mut CachedFolio<'_>,
    make: impl FnOnce(&mut Store<'_, '_>) -> Result<(), E>,
) -> Result<usize, E> {
    let nr = folio.nr_pages();
    let mut store = Store {
        folio,
        next: 0,
        wanted: PageMask::new(0..0),
        entries: 0,
    };
    let made = make(&mut store).and_then(|()| {
        if store.next != nr || store.wanted.len() != 0 {
            return Err(EINVAL.into());
        }
        Ok(store.zeroes())
    });
    if made.is_err() {
        race_point!("store:before_clear");
        Slots::of_folio(folio).clear(|_| ());
    }
    made
}

/// A folio that is being stored.
///
/// # Invariants
///
/// The slot of each page before `next` has an entry of this store, or its zeromap bit set, except those of the pages in
/// `wanted`. `entries` of them have an entry.
pub(crate) struct Store<'s, 'f> {
    folio: &'s mut CachedFolio<'f>,
    next: usize,
    wanted: PageMask,
    entries: usize,
}

impl<'f> Store<'_, 'f> {
    /// The folio.
    pub(crate) fn folio(&self) -> &CachedFolio<'f> {
        self.folio
    }

    /// The number of pages that have an entry.
    pub(crate) fn entries(&self) -> usize {
        self.entries
    }

    /// The number of pages that have none. In the end, these are the zero-filled ones.
    pub(crate) fn zeroes(&self) -> usize {
        self.folio.nr_pages().wrapping_sub(self.entries)
    }

    /// The number of pages of the next group that need an entry, at most `most`. `None` after the last group.
    ///
    /// Zero-filled pages of a large folio need none: sets their zeromap bits on the way. (C does so only if the whole
    /// folio is zero-filled, and has checked that before.)
    #[inline] // make bench: for each folio of one page
    pub(crate) fn next_group(&mut self, most: usize) -> Option<usize> {
        let nr = self.folio.nr_pages();
        while self.wanted.len() == 0 && self.next < nr {
            let run = index::in_one_leaf(&(self.next..nr));
            // INVARIANT: The zeromap bits of the other pages before `next` were set.
            if nr == 1 {
                (self.wanted, self.next) = (PageMask::new(run), 1);
            } else {
                (self.wanted, self.next) = self.mark_zeroes(run, most);
            }
        }
        (self.wanted.len() != 0).then_some(self.wanted.len())
    }

    /// Sets the zeromap bit of each slot in `run` whose page is zero-filled, up to the `most`th page that isn't. Such a
    /// page is then read as zeroes, without zswap or the device. Frees the entry of such a slot, which is stale. Returns
    /// the other pages, and the index after the last page.
    ///
    /// The bit stays set if the store fails: the zeroes are then written to the device as well. It must be cleared when
    /// the page changes: `swap_writeout()` clears the bits of each folio before it calls zswap.
    ///
    /// Takes the lock of the slots' cluster. Mirrors `swap_zeromap_folio_set()`, which sets the bits of a whole folio,
    /// and does not free entries.
    #[inline(never)] // stack: keeps its locals out of the frame from which pages are compressed
    fn mark_zeroes(&mut self, run: Range<usize>, most: usize) -> (PageMask, usize) {
        let mut next = run.start;
        let all = PageMask::new(run);
        let (mut zeroes, mut others, mut nr_others) = (0, 0, 0);
        // INVARIANT: The folio has these pages.
        let pages = SlotPages {
            folio: self.folio,
            pages: all,
        };
        for (index, slot) in all.zip(pages) {
            next = index.wrapping_add(1);
            if slot.page.is_zero_filled() {
                zeroes |= all.bit(index);
                continue;
            }
            others |= all.bit(index);
            nr_others = usize::wrapping_add(nr_others, 1);
            if nr_others == most {
                break;
            }
        }
        if zeroes != 0 {
            let zeroes = all.only(zeroes);
            Slots::of_folio(self.folio).free_only(zeroes);
            let (first, bits) = zeroes.bits();
            // SAFETY: By the invariant of `CachedFolio` the folio is alive, locked and in the swap cache. Its slots are
            // in one cluster. It has these slots. Its pages were accessed, so by the invariant of `CachedFolio` this
            // task doesn't hold the cluster's lock.
            unsafe { bindings::folio_swap_set_zero(self.folio.as_raw(), first, bits) };
        }
        (all.only(others), next)
    }

    /// Makes the entries of the group that [`next_group`](Self::next_group) has returned: calls `f`, which pushes the
    /// objects of its pages, whose entries are made in `memory`. Then charges the entries to the objcg of `lists`, and
    /// adds them to their LRU lists, where walks find them, also if `f` fails.
    ///
    /// May sleep. Fails with the error of `f`; before it is called, with `EINVAL` if there is no such group or the device
    /// has no trees, and with `ENOMEM`.
    #[inline] // stack: keeps the compressor's chain short
    pub(crate) fn fill<E: From<Error>>(
        &mut self,
        memory: slab::UninitBoxes<Entry>,
        lists: Lists<'_>,
        leaves: &'static slab::Cache<Leaf>,
        f: impl FnOnce(&mut Group<'_, 'f>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut wanted = self.wanted;
        let first = wanted.next().ok_or(EINVAL)?;
        let folio = &*self.folio;
        // SAFETY: By the invariant of `CachedFolio` the device is in use, since the folio is in the swap cache.
        let tree = unsafe { slots::tree(folio.swap()) }.ok_or(EINVAL)?;
        // The first page that has no entry yet: if this is called again for the group, the entries before it are on their
        // lists already.
        let first = folio.swap().offset().wrapping_add(first);
        // The references pin the leaf without a lock, so that `f` may sleep. A group is in one leaf, since folios are
        // aligned to their size.
        let leaf = LeafRef::get_or_insert(tree, first, self.wanted.len(), leaves)?;
        let mut group = Group {
            folio,
            leaf,
            memory,
            lists,
            wanted: &mut self.wanted,
            end: first,
            sum: Sum::default(),
        };
        let made = f(&mut group);
        group.publish();
        self.entries = self.entries.wrapping_add(group.sum.entries());
        made
    }
}

// `Sum` has room for a group.
const _: () = assert!(PageMask::MOST * PAGE_SIZE <= i32::MAX as usize);

/// A group of pages whose entries are being made.
///
/// Not published by its destructor, which safe code can skip: [`Store::fill`] lends it.
///
/// # Invariants
///
/// `sum` is the sum of the entries that were made. They are in their slots, from `leaf.offset()` to `end`, where no other
/// slot has an entry. They are on no list, not in the totals, and not charged to the objcg of `lists`, which they have.
/// `leaf` owns a reference for each page in `wanted`, all of which have slots from `end` on.
pub(crate) struct Group<'g, 'f> {
    folio: &'g CachedFolio<'f>,
    leaf: LeafRef<'g>,
    memory: slab::UninitBoxes<Entry>,
    lists: Lists<'g>,
    wanted: &'g mut PageMask,
    end: usize,
    sum: Sum,
}

impl<'g, 'f> Group<'g, 'f> {
    /// The pages that have no entry yet, with their slots.
    pub(crate) fn pages(&self) -> SlotPages<'g, 'f> {
        // INVARIANT: The folio has these pages.
        SlotPages {
            folio: self.folio,
            pages: *self.wanted,
        }
    }

    /// Puts an entry with `object` into its slot, which must be that of the first of [`pages`](Self::pages). Otherwise
    /// drops the object, with a warning. A previous entry is stale, and is freed: the folio was stored before, and was
    /// redirtied in the swap cache.
    #[inline(never)] // stack: keeps its locals out of the frame from which pages are compressed
    pub(crate) fn push(&mut self, object: Object) {
        let slot = object.word().slot();
        let mut wanted = *self.wanted;
        let next = wanted.next();
        let memory = self
            .memory
            .pop()
            .filter(|_| next == Some(slot.since(self.folio.swap())));
        let Some(memory) = memory else {
            warn_on_once!(true);
            return;
        };
        // INVARIANT: The page is no longer wanted, and its entry is in `sum`.
        *self.wanted = wanted;
        self.end = slot.offset().wrapping_add(1);
        self.sum.add(object.len());
        let objcg = self.lists.objcg().map(NonNull::from);
        // SAFETY: `lists` borrows the objcg. The value has no reference until `publish` takes one, which `fill` calls
        // whatever the policy's closure returns. Until then it is neither cloned nor dropped: this function accepts each
        // slot once, and no other task can empty a slot of the folio, which is locked.
        let objcg = objcg.map(|objcg| unsafe { ARef::from_raw(objcg) });
        let entry = memory.write(Entry::new(object, objcg));
        // SAFETY: `folio` gives exclusive access to the slot, which is in `leaf`, as the group is. By the type invariant
        // `leaf` owns a reference for it. `publish`, which `fill` always calls, counts and charges the entry before this
        // task, the only one that can, frees it.
        drop(unsafe { self.leaf.fill(slot.offset(), entry) });
    }

    /// Charges the entries that were made, and adds them to their LRU lists. May sleep.
    ///
    /// Mirrors the end of `zswap_store_page()`.
    #[inline(never)] // stack: keeps its locals out of the frame from which pages are compressed
    fn publish(&mut self) {
        if self.sum.entries() == 0 {
            return;
        }
        self.sum.count(1);
        if let Some(objcg) = self.lists.objcg() {
            // With `PF_MEMALLOC` the charge can't fail. Reclaim has set the flag already, but not every caller is in
            // reclaim.
            memalloc::scope(|memalloc| self.sum.charge(objcg, memalloc));
        }
        race_point!("store:before_lru_add");
        let run = self.leaf.offset()..self.end;
        // SAFETY: By the type invariant the slots of the group up to `end` have the entries that were made, which are on
        // no list, and no others: those of zero-marked slots were freed. They have the objcg of `lists`, and stay in
        // their slots, which only this task can empty.
        unsafe { lru::add_each(self.leaf.leaf().entries(run), self.lists) };
    }
}

/// Pages of a folio with their slots, in order.
///
/// # Invariants
///
/// The folio has `pages`.
#[derive(Clone, Copy)]
pub(crate) struct SlotPages<'a, 'f> {
    folio: &'a CachedFolio<'f>,
    pages: PageMask,
}

/// A slot of a folio, and the folio's page for it.
#[derive(Clone, Copy)]
pub(crate) struct SlotPage<'a> {
    /// The slot.
    pub(crate) swap: SwapEntry,
    /// The page.
    pub(crate) page: FolioPage<'a>,
}

impl<'a, 'f> SlotPages<'a, 'f> {
    /// The folio.
    pub(crate) fn folio(&self) -> &'a CachedFolio<'f> {
        self.folio
    }

    /// The number of pages that are left.
    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }
}

impl<'a> Iterator for SlotPages<'a, '_> {
    type Item = SlotPage<'a>;

    fn next(&mut self) -> Option<SlotPage<'a>> {
        let index = self.pages.next()?;
        // SAFETY: By the type invariant the folio has this page, and a slot for it. No other task can split a locked
        // folio.
        let (swap, page) = unsafe { (self.folio.swap().after(index), self.folio.page(index)) };
        Some(SlotPage { swap, page })
    }
}
