// SPDX-License-Identifier: GPL-2.0-or-later

//! The witnesses that open a swap slot's entry.
//!
//! *The swap cache is the synchroniser*: the lock of the folio that a slot has in the swap cache serialises
//! access to the slot's entry. Access requires a witness (a proof token); there is no other way in:
//!
//! | witness            | what C has at that point                                      | opens                |
//! |--------------------|---------------------------------------------------------------|----------------------|
//! | [`CachedFolio`]    | the folio's lock, and it is in the swap cache                 | its slots: [`Slots`] |
//! | [`UnreadFolio`]    | the same, and the folio has not been read                     | its slot, read only  |
//! | [`WritebackFolio`] | the same, and the slot has no zero mark                       | its slot, read only  |
//! | [`FreedSlots`]     | the cluster's lock, and the slots' swap-table entries are NULL | those slots         |
//! | [`DeadDevice`]     | swapoff has waited for all users, or swapon isn't done yet    | a device's trees     |
//!
//! They exclude each other: a folio in the swap cache keeps its slots from being freed and its device from
//! dying, and a slot whose swap-table entry is NULL has no folio.
//!
//! C headers: [`include/linux/swap.h`](srctree/include/linux/swap.h),
//! [`include/linux/zswap.h`](srctree/include/linux/zswap.h)
//!
//! [`DeadDevice`]: super::trees::DeadDevice
//! [`UnreadFolio`]: super::load_states::UnreadFolio
//! [`WritebackFolio`]: super::load_states::WritebackFolio

use super::{
    entry::Entry,
    free::{
        FreeBatch,
        StoredEntry, //
    },
    index::{
        self,
        LeafRef,
        Tree, //
    },
    lru,
    page_mask::PageMask,
    trees, //
};
use core::{marker::PhantomData, ops::Range};
use kernel::{
    bindings,
    mm::{
        call::Call,
        folio::{
            CachedFolio,
            FolioPage, //
        },
        swapops::SwapEntry, //
    },
    prelude::*,
    race_point,
    sync::atomic::Relaxed,
    types::NotThreadSafe, //
};

/// Slots of one witness, of which at least one has an entry: [`FreedSlots`], or all of a folio.
///
/// # Invariants
///
/// The slots from `leaf.offset()` to `end`, all in `leaf.tree()`, are the owner's for `'a`. The first has an entry.
pub(crate) struct FilledSlots<'a> {
    leaf: LeafRef<'a>,
    end: usize,
    // A spin lock is its task's.
    _not_send: NotThreadSafe,
}

impl<'a> FilledSlots<'a> {
    /// Looks for the first slot with an entry among those at `offsets`, all in `tree`.
    ///
    /// # Safety
    ///
    /// The slots must be the caller's for `'a`, by a witness.
    #[inline]
    unsafe fn find(tree: &'a Tree, mut offsets: Range<usize>) -> Option<Self> {
        while !offsets.is_empty() {
            let run = index::in_one_leaf(&offsets);
            offsets.start = run.end;
            // SAFETY: The slots of `run` are among those of the caller, for `'a`.
            if let Some(leaf) = unsafe { LeafRef::first_filled(tree, run) } {
                // INVARIANT: It is the first.
                return Some(Self {
                    leaf,
                    end: offsets.end,
                    _not_send: NotThreadSafe,
                });
            }
        }
        None
    }

    /// Empties the slots and frees their entries, in order: those of a leaf leave their LRU lists together. Shows
    /// each to `look` first, with the cluster locked if the slots are being freed: `look` must not sleep then, nor call
    /// what takes the lock of a cluster, such as
    /// [`SwapDevice::add_folio`](kernel::mm::swap_cache::SwapDevice::add_folio). That deadlocks, as types don't say
    /// which locks are held.
    #[inline]
    pub(crate) fn free_each(self, look: impl Fn(&Entry)) {
        FreeBatch::with(|batch| {
            let mut next = Some(self);
            while let Some(Self { mut leaf, end, .. }) = next {
                let tree = leaf.tree();
                let run = index::in_one_leaf(&(leaf.offset()..end));
                // SAFETY: By the type invariant the slots are ours, and so are their entries, which the leaf owns.
                unsafe { lru::del_each(leaf.leaf().entries(run.clone())) };
                for offset in run.clone() {
                    // SAFETY: By the type invariant the slot is ours.
                    if let Some(entry) = unsafe { leaf.empty(offset) } {
                        race_point!(atomic "invalidate:after_erase");
                        look(&entry);
                        batch.free(entry);
                    }
                }
                drop(leaf);
                // SAFETY: By the type invariant the slots are the caller's.
                next = unsafe { Self::find(tree, run.end..end) };
            }
        });
    }
}

/// The slots of a [`CachedFolio`], while nobody else can touch their entries.
///
/// # Invariants
///
/// For `'a` the `nr` slots of `folio`, all in `tree`, are ours alone.
pub(crate) struct Slots<'a, 'f> {
    tree: Option<&'a Tree>,
    nr: usize,
    folio: &'a CachedFolio<'f>,
}

/// Some slots of a folio with their pages, in order.
///
/// # Invariants
///
/// `folio` has `nr` pages.
#[derive(Clone, Copy)]
pub(crate) struct SlotPages<'a, 'f> {
    folio: &'a CachedFolio<'f>,
    nr: usize,
    indices: PageMask,
}

impl<'a, 'f> SlotPages<'a, 'f> {
    /// The folio.
    #[inline]
    pub(crate) fn folio(&self) -> &'a CachedFolio<'f> {
        self.folio
    }
}

impl<'a> Iterator for SlotPages<'a, '_> {
    type Item = SlotPage<'a>;

    #[inline]
    fn next(&mut self) -> Option<SlotPage<'a>> {
        let index = self.indices.next()?;
        if index >= self.nr {
            return None;
        }
        // SAFETY: By the type invariant the folio has `nr` pages, and so slots; nobody else could split it.
        let (swap, page) = unsafe { (self.folio.swap().after(index), self.folio.page(index)) };
        Some(SlotPage { swap, page })
    }
}

/// A slot of a folio, and the folio's page for it.
#[derive(Clone, Copy)]
pub(crate) struct SlotPage<'a> {
    /// The slot.
    pub(crate) swap: SwapEntry,
    /// The page.
    pub(crate) page: FolioPage<'a>,
}

impl<'a, 'f> Slots<'a, 'f> {
    /// The slots of a folio. Finds the tree by the folio's own swap entry: there is no way to name another.
    #[inline]
    pub(crate) fn new(folio: &'a mut CachedFolio<'f>) -> Self {
        // SAFETY: By the invariant of `CachedFolio` the slots are ours. No other `Slots` of the folio is in use, as
        // `folio` is borrowed exclusively for `'a`.
        unsafe { Self::of(folio) }
    }

    /// # Safety
    ///
    /// For `'a` there must be no other `Slots` of `folio`.
    #[inline]
    pub(super) unsafe fn of(folio: &'a CachedFolio<'f>) -> Self {
        // INVARIANT: A folio's slots are aligned to their number, which is at most that of a cluster and divides
        // `SLOTS_PER_TREE`: all are in one tree. By the invariant of `CachedFolio` the slots are ours, and the
        // caller guarantees that this is their only `Slots`.
        Slots {
            // SAFETY: The device is in use for as long as `folio` is borrowed, as the folio is in the swap cache.
            tree: unsafe { trees::tree(folio.swap()) },
            nr: folio.nr_pages(),
            folio,
        }
    }

    /// The folio that they are the slots of.
    #[inline]
    pub(crate) fn folio(&self) -> &'a CachedFolio<'f> {
        self.folio
    }

    /// How many there are: as many as the folio has pages.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.nr
    }

    /// The tree that the slots are in, if the device has trees.
    #[inline]
    pub(super) fn tree(&self) -> Option<&'a Tree> {
        self.tree
    }

    /// The slots at `indices` of the folio.
    #[inline]
    pub(crate) fn pages(&self, indices: PageMask) -> SlotPages<'a, 'f> {
        SlotPages {
            folio: self.folio,
            nr: self.nr,
            indices,
        }
    }

    /// The first slot of the folio, with its page.
    #[inline]
    pub(crate) fn first_page(&self) -> SlotPage<'a> {
        let swap = self.folio.swap();
        // SAFETY: Each folio has a first page.
        let page = unsafe { self.folio.page(0) };
        SlotPage { swap, page }
    }

    /// The offset of slot `index` on its device. An `index` past the last gives the offset after it.
    #[inline]
    pub(super) fn offset(&self, index: usize) -> usize {
        self.folio.swap().offset().wrapping_add(index)
    }

    /// The same, as long as `self` isn't used.
    #[inline]
    fn reborrow(&mut self) -> Slots<'_, 'f> {
        // INVARIANT: By ours, as this is borrowed exclusively.
        Slots { ..*self }
    }

    /// The entry of slot `index` of the folio. The other slots are given up.
    #[inline]
    pub(crate) fn entry(self, index: usize) -> Option<SlotEntry<'a>> {
        if index >= self.nr {
            return None;
        }
        // Often there is no entry in all of it: that takes no walk.
        let tree = self.tree.filter(|tree| !tree.is_empty())?;
        let offset = self.offset(index);
        // SAFETY: By the type invariant the slot is ours.
        let leaf = unsafe { LeafRef::first_filled(tree, offset..offset.wrapping_add(1)) }?;
        // INVARIANT: By ours. The slot is filled.
        Some(SlotEntry {
            leaf,
            _not_send: NotThreadSafe,
        })
    }

    /// Gives the slots at `indices`, [`PageMask::MOST`] at most, the zero mark whose page of the folio is all
    /// zeroes: it is read as such then, and from nowhere else. An entry of such a slot is older, and is freed.
    /// Returns the others.
    ///
    /// The mark stays when the folio goes to the device all the same, as it says what is written there. It has
    /// to be removed when the page changes: `swap_writeout()` does that for every folio, before a store.
    ///
    /// Takes the lock of the slots' cluster. Mirrors `swap_zeromap_folio_set()`, which marks whole folios and
    /// leaves their entries. Not inlined, to keep its locals out of the stack frame below which pages are compressed.
    #[inline(never)]
    pub(crate) fn mark_zeroes(&mut self, indices: Range<usize>) -> PageMask {
        let all = PageMask::new(indices.start..indices.end.min(self.nr));
        let mut zeroes = 0;
        for (index, slot) in all.zip(self.pages(all)) {
            if slot.page.is_zero_filled() {
                zeroes |= all.bit(index);
            }
        }
        if zeroes == 0 {
            return all;
        }
        self.mark(all.only(zeroes));
        all.only(!zeroes)
    }

    /// Most folios have no page of zeroes. `zeroes` are slots of the folio, below `nr`.
    #[cold]
    #[inline(never)]
    fn mark(&mut self, zeroes: PageMask) {
        for index in zeroes {
            drop(self.reborrow().entry(index).map(SlotEntry::take));
        }
        let (first, bits) = zeroes.bits();
        // SAFETY: The folio is alive, locked and in the swap cache, by the invariant of `CachedFolio`; its slots
        // are of one cluster, as it is. It has these, as `mark_zeroes` looks at no others. Its pages could be
        // had from the witness, and so by its invariant this task doesn't hold the cluster's lock.
        unsafe { bindings::folio_swap_set_zero(self.folio.as_raw(), first, bits) };
    }
}

impl<'f> Slots<'f, 'f> {
    /// Frees the entries of all slots. Doesn't sleep.
    ///
    /// The folio's witness must be borrowed for all its time: with it, a slot could be filled again.
    #[inline]
    pub(crate) fn clear(self) -> Cleared<'f> {
        let first = self.folio.swap().offset();
        let offsets = first..first.wrapping_add(self.nr);
        if let Some(tree) = self.tree.filter(|tree| !tree.is_empty()) {
            // SAFETY: By the type invariant the slots are ours.
            if let Some(range) = unsafe { FilledSlots::find(tree, offsets) } {
                range.free_each(|_| ());
            }
        }
        Cleared(PhantomData)
    }
}

/// Proof that no slot of the folio whose [`CachedFolio`] had the lifetime `'f` has an entry any more, nor
/// will have one for that long.
pub(crate) struct Cleared<'f>(PhantomData<CachedFolio<'f>>);

/// The entry of a slot.
///
/// # Invariants
///
/// The slot that `leaf` was found by is ours for `'a`, and filled. `leaf` has no references.
pub(crate) struct SlotEntry<'a> {
    leaf: LeafRef<'a>,
    // A folio's lock is its task's.
    _not_send: NotThreadSafe,
}

impl SlotEntry<'_> {
    /// Looks at it, for no longer than until it is taken.
    #[inline]
    pub(crate) fn get(&self) -> &Entry {
        let entry = self.leaf.leaf().slot(self.leaf.offset()).load(Relaxed);
        // SAFETY: By the type invariant the slot is ours and filled; taking the entry consumes `self`.
        unsafe { &*entry }
    }

    /// Takes it out of its slot. Mirrors `xa_erase()` in C's `zswap_load()`.
    #[inline]
    pub(super) fn take(mut self) -> StoredEntry {
        let offset = self.leaf.offset();
        // SAFETY: By the type invariant the slot is ours, and filled. The reference goes with `self`.
        unsafe { self.leaf.empty(offset).unwrap_unchecked() }
    }
}

/// Witness that slots are being freed: their cluster is locked, and their swap-table entries are NULL
/// already, so that there is no folio in the swap cache for them, and none can come.
///
/// For these slots; the lock alone says nothing about the cluster's others.
///
/// # Invariants
///
/// For `'a` nobody else has a witness for the slots, or can get any: their swap-table entries are NULL,
/// as above, or their folio's lock is the maker's, who lends none. They are `nr` from `first` on, all in
/// one tree of their device, which has trees for all of its slots, and keeps them.
pub(crate) struct FreedSlots<'a> {
    // Two words, which are handed on in registers.
    first: SwapEntry,
    nr: usize,
    _tree: PhantomData<&'a Tree>,
    // A spin lock is its task's.
    _not_send: NotThreadSafe,
}

impl<'a> FreedSlots<'a> {
    /// The witness that `nr` slots from `entry` on are being freed.
    ///
    /// # Safety
    ///
    /// For the time of `call`, the caller must hold the lock of the cluster of `entry`, which all the slots
    /// must be in, with their swap-table entries NULL, on a device that has not been swapped off, and
    /// leave the slots to this. (A caller that holds the lock of the slots' folio, in the swap cache, and
    /// has no witness in use for it excludes the same, and may use this as well.)
    ///
    /// [`DeadDevice::attach`](trees::DeadDevice::attach) must have succeeded for the device, with as many slots as it
    /// has: there is no check, as this is for every slot that is freed.
    #[inline(always)] // for every slot that is freed
    pub(crate) unsafe fn from_raw(
        entry: bindings::swp_entry_t,
        nr: usize,
        _call: &'a Call,
    ) -> Self {
        // INVARIANT: The caller has the lock that excludes other witnesses, and the device has trees for
        // all of its slots until it is swapped off. A cluster is in one tree, as its size divides that of
        // a tree.
        Self {
            // SAFETY: The device of `entry` has not been swapped off.
            first: unsafe { SwapEntry::from_raw(entry) },
            nr,
            _tree: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    #[inline(always)] // for the same reason
    fn tree(&self) -> &'a Tree {
        // SAFETY: By the type invariant there are trees for all of the device's slots, for `'a`.
        unsafe { trees::tree_unchecked(self.first) }
    }

    /// Whether there is no entry of these slots or of others near them. Takes no walk.
    ///
    /// Takes no lock: no store for these slots can be under way, as that takes a folio in the swap cache,
    /// and the cluster's lock orders this after the last one.
    #[inline]
    pub(crate) fn have_nothing(&self) -> bool {
        self.tree().is_empty()
    }

    /// The slots that have an entry, if there are any. Takes no lock, for the reason above.
    #[inline]
    pub(crate) fn filled(self) -> Option<FilledSlots<'a>> {
        let first = self.first.offset();
        let offsets = first..first.wrapping_add(self.nr);
        // SAFETY: By the type invariant the slots are ours.
        unsafe { FilledSlots::find(self.tree(), offsets) }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kunit_tests(zswap_slots)]
mod tests {
    use super::{
        super::{
            index::{
                tests::{
                    set_open,
                    slot,
                    Entries, //
                },
                SLOTS_PER_LEAF,
                SLOTS_PER_TREE, //
            },
            trees::{
                tests::{
                    attach,
                    detach,
                    get,
                    refs,
                    tree_at, //
                },
                DeadDevice,
                MAX_DEVICES, //
            },
        },
        *, //
    };
    use core::cell::Cell;

    #[test]
    fn devices_out_of_range_are_refused() {
        for (device, ok) in [
            (-1, false),
            (MAX_DEVICES as c_int, false),
            (MAX_DEVICES as c_int - 1, true),
        ] {
            let mut call = Call::new();
            // SAFETY: Nothing is done with it.
            let device = unsafe { DeadDevice::from_raw(device, 0, &mut call) };
            assert_eq!(device.is_ok(), ok);
        }
    }

    /// Fills the slot at `offset` with an entry of `len` bytes, and returns the length of the entry that it had.
    fn store(entries: &Entries, offset: usize, len: usize) -> Result<Option<usize>> {
        let entry = entries.entry(offset, len)?;
        let mut leaf = get(offset, 1)?;
        // SAFETY: No other task uses the slot, which is no device's.
        let old = unsafe { leaf.fill(offset, entry.into_raw()) };
        Ok(old.map(|old| old.object().len()))
    }

    /// The length of the entry of the slot at `offset`.
    fn stored(offset: usize) -> Option<usize> {
        let next = offset.wrapping_add(1);
        // SAFETY: No other task uses the slot, which is no device's.
        let leaf = unsafe { LeafRef::first_filled(tree_at(offset)?, offset..next) }?;
        // SAFETY: The slot is filled, so that the leaf stays, and isn't emptied meanwhile.
        let len = unsafe { leaf.leaf().entries(offset..next) }
            .next()?
            .object()
            .len();
        Some(len)
    }

    /// Frees slots, and returns the lengths of their entries, as the digits of a number.
    fn free(offset: usize, nr: usize) -> usize {
        let all = Cell::new(0usize);
        let look = |entry: &Entry| {
            let len = entry.object().len();
            all.set(all.get().wrapping_mul(10).wrapping_add(len));
        };
        let call = Call::new();
        // SAFETY: Attached, with more slots, which no other task uses.
        let slots = unsafe { FreedSlots::from_raw(slot(offset).as_raw(), nr, &call) };
        if let Some(filled) = slots.filled() {
            filled.free_each(look);
        }
        all.get()
    }

    #[test]
    fn entries_are_freed_with_their_slots() -> Result {
        let entries = Entries::new()?;
        attach(SLOTS_PER_TREE)?;
        set_open(true)?;
        let edge = SLOTS_PER_LEAF;
        assert_eq!(free(edge - 2, 4), 0);
        // Across leaves, and no neighbour.
        for (offset, len) in [(edge - 2, 1), (edge - 1, 2), (edge, 3), (edge + 2, 4)] {
            assert!(store(&entries, offset, len)?.is_none());
        }
        assert_eq!(
            (refs(0), refs(edge), refs(2 * edge)),
            (Some(2), Some(2), None)
        );
        assert_eq!(free(edge - 1, 2), 23);
        assert_eq!((refs(0), refs(edge)), (Some(1), Some(1)));
        assert_eq!(stored(edge - 2), Some(1));
        assert_eq!(stored(edge - 1), None);
        assert_eq!(stored(edge + 2), Some(4));
        // An entry that is replaced is returned.
        assert_eq!(store(&entries, edge - 2, 5)?, Some(1));
        assert_eq!(refs(0), Some(1));
        // A leaf is removed with its last entry, and another is inserted.
        assert_eq!(free(0, 2 * edge), 54);
        assert_eq!((refs(0), refs(edge)), (None, None));
        assert!(store(&entries, 3, 6)?.is_none());
        assert_eq!(refs(0), Some(1));
        // A reference pins a leaf without an entry.
        let leaf = get(8, 2)?;
        assert_eq!(free(3, 1), 6);
        assert_eq!(refs(0), Some(2));
        drop(leaf);
        assert_eq!(refs(0), None);
        assert!(detach()?);
        Ok(())
    }

    #[test]
    fn entries_that_are_left_are_freed_with_the_device() -> Result {
        let entries = Entries::new()?;
        attach(10)?;
        set_open(true)?;
        store(&entries, 6, 7)?;
        store(&entries, 7, 8)?;
        assert_eq!(free(7, 1), 8);
        assert_eq!(free(7, 1), 0);
        assert_eq!((stored(6), stored(7)), (Some(7), None));
        // The caller learns of it.
        assert!(!detach()?);
        assert!(detach()?);
        Ok(())
    }
}
