// SPDX-License-Identifier: GPL-2.0-or-later

//! The witnesses that give access to a slot's entry.
//!
//! *The swap cache is the synchroniser*: the lock of a slot's folio in the swap cache serialises access to the slot's
//! entry. Access requires a witness, a value that proves a fact:
//!
//! | witness            | locks and state in C                                           | gives access to      |
//! |--------------------|----------------------------------------------------------------|----------------------|
//! | [`CachedFolio`]    | the folio is locked and in the swap cache                      | its slots: [`Slots`] |
//! | [`UnreadFolio`]    | the same, and the folio has not been read                      | its slot: the entry  |
//! |                    |                                                                | is lent, and removed |
//! |                    |                                                                | once it was read     |
//! | [`WritebackFolio`] | the same, and the slot's zeromap bit is clear                  | as above             |
//! | [`ZeroMarked`]     | the same, and the slot's zeromap bit is set                    | its slot: the stale  |
//! |                    |                                                                | entry is removed     |
//! | `WholeFolio`       | the same, and the folio has not been read                      | its slots, read only |
//! | `MappedFolio`      | the same, and the folio is being mapped                        | its slots            |
//! | `VacantSlots`      | the cluster is locked, the slots are in use, and have no folio | whether they have an |
//! |                    |                                                                | entry                |
//! | [`FreedSlots`]     | the cluster is locked, and the swap-table entries are NULL     | those slots          |
//! | [`DeadDevice`]     | swapoff has waited for all users, or swapon is not complete    | a device's trees     |
//!
//! The witnesses exclude each other. A folio in the swap cache prevents its slots from being freed, and its device from
//! being swapped off. A slot whose swap-table entry is NULL has no folio. Exceptions: several `VacantSlots`, which only
//! count entries, and a [`Visit`](super::lru::Visit), which only delays the freeing of one.
//!
//! C headers: [`include/linux/swap.h`](srctree/include/linux/swap.h),
//! [`include/linux/zswap.h`](srctree/include/linux/zswap.h)
//!
//! [`DeadDevice`]: super::trees::DeadDevice
//! [`UnreadFolio`]: super::load_states::UnreadFolio
//! [`WritebackFolio`]: super::load_states::WritebackFolio
//! [`ZeroMarked`]: super::load_states::ZeroMarked

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

/// Slots of one witness, at least one of which has an entry: [`FreedSlots`], or all slots of a folio.
///
/// # Invariants
///
/// The owner of this value has exclusive access for `'a` to the slots from `leaf.offset()` to `end`, all in
/// `leaf.tree()`. The first of them has an entry.
pub(crate) struct FilledSlots<'a> {
    leaf: LeafRef<'a>,
    end: usize,
    // Bound to the task that holds the lock: the cluster's, or the folio's.
    _not_send: NotThreadSafe,
}

impl<'a> FilledSlots<'a> {
    /// Finds the first slot with an entry among the slots at `offsets`, all in `tree`.
    ///
    /// # Safety
    ///
    /// The caller must have a witness for the slots for `'a`.
    unsafe fn find(tree: &'a Tree, mut offsets: Range<usize>) -> Option<Self> {
        while !offsets.is_empty() {
            let run = index::in_one_leaf(&offsets);
            offsets.start = run.end;
            // SAFETY: The caller guarantees that it has a witness for the slots, which include those of `run`.
            if let Some(leaf) = unsafe { LeafRef::first_filled(tree, run) } {
                // INVARIANT: `first_filled` has found the first slot with an entry; `'a` is that of the caller's
                // witness.
                return Some(Self {
                    leaf,
                    end: offsets.end,
                    _not_send: NotThreadSafe,
                });
            }
        }
        None
    }

    /// Frees the entries of the slots, in order. The entries of a leaf are removed from their LRU lists together. Calls
    /// `look` with each entry before it is freed. If the slots are being freed, the cluster is locked: `look` must not
    /// sleep, and must not take the lock of a cluster, as
    /// [`SwapDevice::add_folio`](kernel::mm::swap_cache::SwapDevice::add_folio) does. That would deadlock; types don't
    /// track which locks are held.
    pub(crate) fn free_each(self, look: impl Fn(&Entry)) {
        FreeBatch::with(|batch| {
            let mut next = Some(self);
            while let Some(Self { mut leaf, end, .. }) = next {
                let tree = leaf.tree();
                let run = index::in_one_leaf(&(leaf.offset()..end));
                // SAFETY: By the type invariant this value gives exclusive access to the slots, which own their
                // entries.
                unsafe { lru::del_each(leaf.leaf().entries(run.clone())) };
                for offset in run.clone() {
                    // SAFETY: By the type invariant this value gives exclusive access to the slot.
                    if let Some(entry) = unsafe { leaf.empty(offset) } {
                        race_point!(atomic "invalidate:after_erase");
                        look(&entry);
                        batch.free(entry);
                    }
                }
                drop(leaf);
                // SAFETY: By the type invariant this value gives exclusive access to the remaining slots.
                next = unsafe { Self::find(tree, run.end..end) };
            }
        });
    }
}

/// The slots of a [`CachedFolio`], with exclusive access to their entries.
///
/// # Invariants
///
/// This value gives exclusive access for `'a` to the `nr` slots of `folio`, all in `tree`.
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
    pub(crate) fn folio(&self) -> &'a CachedFolio<'f> {
        self.folio
    }
}

impl<'a> Iterator for SlotPages<'a, '_> {
    type Item = SlotPage<'a>;

    fn next(&mut self) -> Option<SlotPage<'a>> {
        let index = self.indices.next()?;
        if index >= self.nr {
            return None;
        }
        // SAFETY: By the type invariant the folio has `nr` pages, and so `nr` slots. No other task can split a locked
        // folio.
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
    /// The slots of a folio. The tree is that of `folio->swap`, so that a caller can't name other slots.
    pub(crate) fn new(folio: &'a mut CachedFolio<'f>) -> Self {
        // SAFETY: No other `Slots` of the folio is in use, since `folio` is borrowed exclusively for `'a`.
        unsafe { Self::of(folio) }
    }

    /// # Safety
    ///
    /// No other `Slots` of `folio` may exist during `'a`.
    pub(super) unsafe fn of(folio: &'a CachedFolio<'f>) -> Self {
        // INVARIANT: A folio's slots are aligned to their number, which is at most that of a cluster and divides
        // `SLOTS_PER_TREE`, so all are in one tree. By the invariant of `CachedFolio` it gives exclusive access to the
        // slots, and the caller guarantees that no other `Slots` of `folio` exists.
        Slots {
            // SAFETY: By the invariant of `CachedFolio` the device is in use for `'a`, since the folio is in the swap
            // cache.
            tree: unsafe { trees::tree(folio.swap()) },
            nr: folio.nr_pages(),
            folio,
        }
    }

    /// The folio that has the slots.
    pub(crate) fn folio(&self) -> &'a CachedFolio<'f> {
        self.folio
    }

    /// The number of slots, which is the number of pages of the folio.
    pub(crate) fn len(&self) -> usize {
        self.nr
    }

    /// The tree of the slots, if the device has trees.
    pub(super) fn tree(&self) -> Option<&'a Tree> {
        self.tree
    }

    /// The slots of the folio at `indices`, with their pages.
    pub(crate) fn pages(&self, indices: PageMask) -> SlotPages<'a, 'f> {
        SlotPages {
            folio: self.folio,
            nr: self.nr,
            indices,
        }
    }

    /// The first slot of the folio, with its page.
    pub(crate) fn first_page(&self) -> SlotPage<'a> {
        let swap = self.folio.swap();
        // SAFETY: Every folio has at least one page.
        let page = unsafe { self.folio.page(0) };
        SlotPage { swap, page }
    }

    /// The offset of slot `index` on its device. For `len()` this is the offset after the last slot.
    pub(super) fn offset(&self, index: usize) -> usize {
        self.folio.swap().offset().wrapping_add(index)
    }

    /// The same slots, while `self` is borrowed.
    fn reborrow(&mut self) -> Slots<'_, 'f> {
        // INVARIANT: `self` gives exclusive access to the slots, and is borrowed exclusively.
        Slots { ..*self }
    }

    /// The entry of slot `index` of the folio. Consumes the `Slots`.
    pub(crate) fn entry(self, index: usize) -> Option<SlotEntry<'a>> {
        if index >= self.nr {
            return None;
        }
        // Often the whole tree is empty, which is found without a walk.
        let tree = self.tree.filter(|tree| !tree.is_empty())?;
        let offset = self.offset(index);
        // SAFETY: By the type invariant `self` gives exclusive access to the slot.
        let leaf = unsafe { LeafRef::first_filled(tree, offset..offset.wrapping_add(1)) }?;
        // INVARIANT: `self` gives exclusive access to the slot for `'a`, and is consumed. The slot has an entry.
        Some(SlotEntry {
            leaf,
            _not_send: NotThreadSafe,
        })
    }

    /// Borrows the entry of slot `index` of the folio.
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    pub(super) fn get(&self, index: usize) -> Option<&Entry> {
        if index >= self.nr {
            return None;
        }
        let tree = self.tree?;
        let offset = self.offset(index);
        // SAFETY: By the type invariant `self` gives exclusive access to the slot.
        let leaf = unsafe { LeafRef::first_filled(tree, offset..offset.wrapping_add(1)) }?;
        let entry = leaf.leaf().slot(offset).load(Relaxed);
        // SAFETY: The slot has an entry. To remove it requires `self`, which is borrowed.
        Some(unsafe { &*entry })
    }

    /// The slots from the first one with an entry on, if any has one.
    pub(super) fn filled(self) -> Option<FilledSlots<'a>> {
        // Often the whole tree is empty, which is found without a walk.
        let tree = self.tree.filter(|tree| !tree.is_empty())?;
        let offsets = self.offset(0)..self.offset(self.nr);
        // SAFETY: By the type invariant `self` gives exclusive access to the slots, and is consumed.
        unsafe { FilledSlots::find(tree, offsets) }
    }

    /// Sets the zeromap bit of each slot in `indices` (at most [`PageMask::MOST`]) whose page is zero-filled. Such a
    /// page is then read as zeroes, without zswap or the device. Frees the entry of such a slot, which is stale.
    /// Returns the other indices.
    ///
    /// The bit stays set if the store fails: the zeroes are then written to the device as well. It must be cleared when
    /// the page changes: `swap_writeout()` clears the bits of each folio before it calls zswap.
    ///
    /// Takes the lock of the slots' cluster. Mirrors `swap_zeromap_folio_set()`, which sets the bits of a whole folio,
    /// and does not free entries.
    #[inline(never)] // stack: keeps its locals out of store_all()'s frame
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

    /// Sets the zeromap bits of `zeroes`, which must be below `nr`.
    fn mark(&mut self, zeroes: PageMask) {
        for index in zeroes {
            drop(self.reborrow().entry(index).map(SlotEntry::take));
        }
        let (first, bits) = zeroes.bits();
        // SAFETY: By the invariant of `CachedFolio` the folio is alive, locked and in the swap cache. Its slots are in
        // one cluster. `mark_zeroes` passes only slots that the folio has. It has accessed the folio's pages, so by the
        // invariant of `CachedFolio` this task doesn't hold the cluster's lock.
        unsafe { bindings::folio_swap_set_zero(self.folio.as_raw(), first, bits) };
    }
}

impl<'f> Slots<'f, 'f> {
    /// Frees the entries of all slots. Doesn't sleep.
    ///
    /// The folio's witness must be borrowed for its whole lifetime, so that no slot can be filled again.
    pub(crate) fn clear(self) -> Cleared<'f> {
        if let Some(range) = self.filled() {
            range.free_each(|_| ());
        }
        Cleared(PhantomData)
    }
}

/// Proof that no slot of the folio whose [`CachedFolio`] has the lifetime `'f` has an entry, or gets one during `'f`.
pub(crate) struct Cleared<'f>(PhantomData<CachedFolio<'f>>);

/// The entry of a slot.
///
/// # Invariants
///
/// This value gives exclusive access for `'a` to the slot at `leaf.offset()`, which has an entry. `leaf` owns no
/// references.
pub(crate) struct SlotEntry<'a> {
    leaf: LeafRef<'a>,
    // Bound to the task that holds the folio's lock.
    _not_send: NotThreadSafe,
}

impl SlotEntry<'_> {
    /// Borrows the entry.
    pub(crate) fn get(&self) -> &Entry {
        let entry = self.leaf.leaf().slot(self.leaf.offset()).load(Relaxed);
        // SAFETY: By the type invariant the slot has an entry, and no other task can remove it. `take` consumes `self`.
        unsafe { &*entry }
    }

    /// Removes the entry from its slot. Mirrors `xa_erase()` in C's `zswap_load()`.
    pub(super) fn take(mut self) -> StoredEntry {
        let offset = self.leaf.offset();
        // SAFETY: By the type invariant `self` gives exclusive access to the slot, and the slot has an entry.
        unsafe { self.leaf.empty(offset).unwrap_unchecked() }
    }
}

/// Witness that slots are being freed: their cluster is locked, and their swap-table entries are NULL, so that no folio
/// is in the swap cache for them, and none can be added.
///
/// It covers only these slots: the lock alone proves nothing about other slots of the cluster.
///
/// # Invariants
///
/// No other witness for the slots exists, or can be created, during `'a`: their swap-table entries are NULL, or the
/// creator holds the lock of their folio and has lent no witness for it. The slots are `nr` slots starting at `first`,
/// all in one tree of their device. The device has trees for all of its slots, which are not freed during `'a`.
pub(crate) struct FreedSlots<'a> {
    // Two words, which are passed in registers.
    first: SwapEntry,
    nr: usize,
    _tree: PhantomData<&'a Tree>,
    // Bound to the task that holds the spin lock.
    _not_send: NotThreadSafe,
}

impl<'a> FreedSlots<'a> {
    /// The witness that `nr` slots starting at `entry` are being freed.
    ///
    /// # Safety
    ///
    /// During `call`, the caller must hold the lock of the cluster of `entry`, and must use no other witness for the
    /// slots. All slots must be in that cluster, their swap-table entries must be NULL, and the device must not be
    /// swapped off. (A caller that instead holds the lock of the slots' folio, in the swap cache, and uses no other
    /// witness for it excludes the same tasks, and may also call this.)
    ///
    /// [`DeadDevice::attach`](trees::DeadDevice::attach) must have succeeded for the device, with the number of slots
    /// of the device. That is not checked, since this is called for every slot that is freed.
    pub(crate) unsafe fn from_raw(
        entry: bindings::swp_entry_t,
        nr: usize,
        _call: &'a Call,
    ) -> Self {
        // INVARIANT: The caller guarantees that it holds the lock that excludes other witnesses, and that `attach` has
        // succeeded, so that the device has trees for all of its slots until it is swapped off. A cluster is in one
        // tree, since its size divides that of a tree.
        Self {
            // SAFETY: The caller guarantees that the device of `entry` is not swapped off.
            first: unsafe { SwapEntry::from_raw(entry) },
            nr,
            _tree: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    fn tree(&self) -> &'a Tree {
        // SAFETY: By the type invariant there are trees for all of the device's slots, for `'a`.
        unsafe { trees::tree_unchecked(self.first) }
    }

    /// Whether the tree of these slots is empty, so that none of them has an entry. Doesn't walk the tree.
    ///
    /// Takes no lock. No store for these slots can be running, since that requires a folio in the swap cache, and the
    /// cluster's lock orders this after the last store.
    pub(crate) fn have_nothing(&self) -> bool {
        self.tree().is_empty()
    }

    /// The slots from the first one with an entry on, if any has one. Takes no lock, for the same reason as
    /// [`have_nothing`](Self::have_nothing).
    pub(crate) fn filled(self) -> Option<FilledSlots<'a>> {
        let first = self.first.offset();
        let offsets = first..first.wrapping_add(self.nr);
        // SAFETY: By the type invariant this is the only witness for the slots, for `'a`, and is consumed.
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
            // SAFETY: The witness isn't used.
            let device = unsafe { DeadDevice::from_raw(device, 0, &mut call) };
            assert_eq!(device.is_ok(), ok);
        }
    }

    /// Fills the slot at `offset` with an entry of `len` bytes, and returns the length of the entry that it had.
    fn store(entries: &Entries, offset: usize, len: usize) -> Result<Option<usize>> {
        let entry = entries.entry(offset, len)?;
        let mut leaf = get(offset, 1)?;
        // SAFETY: No other task uses the slot, whose type is that of no device.
        let old = unsafe { leaf.fill(offset, entry.into_raw()) };
        Ok(old.map(|old| old.object().len()))
    }

    /// The length of the entry of the slot at `offset`.
    fn stored(offset: usize) -> Option<usize> {
        let next = offset.wrapping_add(1);
        // SAFETY: No other task uses the slot, whose type is that of no device.
        let leaf = unsafe { LeafRef::first_filled(tree_at(offset)?, offset..next) }?;
        // SAFETY: The slot has an entry, which pins the leaf and isn't removed meanwhile.
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
        // SAFETY: The device was attached with more slots than these, and no other task uses them.
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
        // Frees entries in two leaves, but not those of neighbouring slots.
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
        // `detach` returns false if entries are left.
        assert!(!detach()?);
        assert!(detach()?);
        Ok(())
    }
}
