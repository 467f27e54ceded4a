// SPDX-License-Identifier: GPL-2.0-or-later

//! The slots of each swap device, and the witnesses that give access to their entries.
//!
//! *The swap cache is the synchroniser*: the lock of a slot's folio in the swap cache serialises access to the slot's
//! entry. Access requires a witness, a value that proves a fact:
//!
//! | witness                    | locks and state in C                                         | gives access to     |
//! |----------------------------|--------------------------------------------------------------|---------------------|
//! | [`CachedFolio`]            | the folio is locked and in the swap cache                    | its slots           |
//! | [`Slots`] that are freed   | the cluster is locked, and the swap-table entries are NULL   | those slots         |
//! | [`attach`], [`detach`]     | swapoff has waited for all users, or swapon isn't complete   | the device's trees  |
//! | [`Visit`](super::lru::Visit) | the lock of the LRU list is held                           | one entry's fields  |
//!
//! The first three exclude each other. A folio in the swap cache prevents its slots from being freed, and its device from
//! being swapped off. A slot whose swap-table entry is NULL has no folio. A `Visit` only delays the freeing of an entry.
//!
//! C headers: [`include/linux/swap.h`](srctree/include/linux/swap.h),
//! [`include/linux/zswap.h`](srctree/include/linux/zswap.h)

use super::{
    entry::Entry,
    free::{
        FreeBatch,
        StoredEntry, //
    },
    index::{
        self,
        LeafRef,
        Tree,
        SLOTS_PER_TREE, //
    },
    lru,
    page_mask::PageMask, //
};
use core::{
    alloc::Layout,
    ops::Range,
    ptr::NonNull, //
};
use kernel::{
    alloc::{
        allocator::KVmalloc,
        Allocator,
        NumaNode, //
    },
    bindings,
    mm::{
        call::Call,
        folio::CachedFolio,
        swapops::SwapEntry, //
    },
    prelude::*,
    race_point,
    static_lock_class,
    sync::atomic::{
        Acquire,
        Atomic,
        Relaxed,
        Release, //
    },
    types::NotThreadSafe,
    warn_on_once,
    xarray::XArray, //
};

/// Slots to whose entries this task has exclusive access.
///
/// # Invariants
///
/// This value gives exclusive access for `'a` to the slots at `offsets`, all in `tree` and in one cluster. `tree` is
/// `None` if the device has no trees, and so no slot an entry.
pub(crate) struct Slots<'a> {
    tree: Option<&'a Tree>,
    offsets: Range<usize>,
    // Bound to the task that holds the lock: the folio's, or the cluster's.
    _not_send: NotThreadSafe,
}

impl<'a> Slots<'a> {
    /// The slots of a folio. The tree is that of `folio->swap`, so that a caller can't name other slots.
    #[inline] // make bench: for each folio that is loaded
    pub(crate) fn of_folio(folio: &'a mut CachedFolio<'_>) -> Self {
        // SAFETY: No other `Slots` of the folio is in use, since `folio` is borrowed exclusively for `'a`.
        unsafe { Self::of(folio) }
    }

    /// # Safety
    ///
    /// No other `Slots` of `folio` may exist during `'a`.
    #[inline] // make bench: for each folio that is loaded
    pub(super) unsafe fn of(folio: &'a CachedFolio<'_>) -> Self {
        let first = folio.swap();
        // INVARIANT: By the invariant of `CachedFolio` it gives exclusive access to the slots, and the caller guarantees
        // that no other `Slots` of it exists. They are aligned to their number, which is at most that of a cluster and
        // divides `SLOTS_PER_TREE`, so all are in one tree.
        Self {
            // SAFETY: By the invariant of `CachedFolio` the device is in use for `'a`, since the folio is in the swap
            // cache.
            tree: unsafe { tree(first) },
            offsets: first.offset()..first.offset().wrapping_add(folio.nr_pages()),
            _not_send: NotThreadSafe,
        }
    }

    /// `nr` slots from `first` on that are being freed. It covers only these: the lock alone proves nothing about other
    /// slots of the cluster.
    ///
    /// # Safety
    ///
    /// During `call`, the caller must hold the lock of the cluster of `first`, and must use no other witness for the
    /// slots. All slots must be in that cluster, their swap-table entries must be NULL, so that no folio is in the swap
    /// cache for them and none can be added, and the device must not be swapped off. (A caller that instead holds the
    /// lock of the slots' folio, in the swap cache, or alone uses the slots, and uses no other witness for them excludes
    /// the same tasks, and may also call this.)
    ///
    /// [`attach`] must have succeeded for the device, with the number of slots of the device. That is not
    /// checked, since this is called for every slot that is freed.
    pub(crate) unsafe fn freed(first: bindings::swp_entry_t, nr: usize, _call: &'a Call) -> Self {
        // SAFETY: The caller guarantees that the device of `first` is not swapped off.
        let first = unsafe { SwapEntry::from_raw(first) };
        let trees = trees(first);
        // SAFETY: The caller guarantees that `attach` has succeeded, so that the device has trees for all of its slots, and
        // that it is not swapped off during `'a`.
        let tree = unsafe {
            core::hint::assert_unchecked(!trees.is_null());
            &*trees.add(first.offset() / SLOTS_PER_TREE)
        };
        // INVARIANT: The caller guarantees that it holds the lock that excludes other witnesses. A cluster is in one
        // tree, since its size divides that of a tree.
        Self {
            tree: Some(tree),
            offsets: first.offset()..first.offset().wrapping_add(nr),
            _not_send: NotThreadSafe,
        }
    }

    /// The tree, unless it is empty, as it often is: that is found without a walk, and without a lock. No task can be
    /// storing to these slots.
    fn filled_tree(&self) -> Option<&'a Tree> {
        self.tree.filter(|tree| !tree.is_empty())
    }

    /// The entry of slot `index`.
    #[inline] // make bench: for each folio that is loaded
    pub(super) fn entry(self, index: usize) -> Option<SlotEntry<'a>> {
        let tree = self.filled_tree()?;
        let offset = self.offsets.clone().nth(index)?;
        // SAFETY: By the type invariant `self` gives exclusive access to the slot.
        let leaf = unsafe { LeafRef::first_filled(tree, offset..offset.wrapping_add(1)) }?;
        // INVARIANT: `self` gives exclusive access to the slot for `'a`, and is consumed. The slot has an entry.
        Some(SlotEntry {
            leaf,
            _not_send: NotThreadSafe,
        })
    }

    /// Frees the entries of the slots at `indices`, all in one leaf; one that is no slot of these is left out.
    pub(super) fn free_only(self, indices: PageMask) {
        let Some(tree) = self.filled_tree() else {
            return;
        };
        let offset_of = |index| self.offsets.start.wrapping_add(index);
        let run = index::in_one_leaf(&(offset_of(indices.bits().0)..self.offsets.end));
        // SAFETY: By the type invariant `self` gives exclusive access to the slots.
        let Some(mut leaf) = (unsafe { LeafRef::first_filled(tree, run.clone()) }) else {
            return;
        };
        for offset in indices.map(offset_of).filter(|offset| run.contains(offset)) {
            // SAFETY: By the type invariant `self` gives exclusive access to the slot, which is in `run`.
            drop(unsafe { leaf.empty(offset) });
        }
    }

    /// Borrows the entry of slot `index`.
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    pub(super) fn get(&self, index: usize) -> Option<&Entry> {
        let offset = self.offsets.clone().nth(index)?;
        // SAFETY: By the type invariant `self` gives exclusive access to the slot.
        let leaf = unsafe { LeafRef::first_filled(self.tree?, offset..offset.wrapping_add(1)) }?;
        let entry = leaf.leaf().slot(offset).load(Relaxed);
        // SAFETY: The slot has an entry. To remove it requires `self`, which is borrowed.
        Some(unsafe { &*entry })
    }

    /// Whether a slot has an entry.
    #[inline] // as `clear`
    pub(crate) fn are_filled(&self) -> bool {
        self.filled_tree().is_some_and(|tree| {
            // SAFETY: By the type invariant `self` gives exclusive access to the slots.
            unsafe { next_filled(tree, &mut self.offsets.clone()) }.is_some()
        })
    }

    /// Frees the entries of the slots, in order. Calls `look` with each entry before it is freed. Doesn't sleep.
    ///
    /// If the slots are being freed, the cluster is locked: `look` must not sleep, and must not take the lock of a
    /// cluster, as [`SwapDevice::add_folio`](kernel::mm::swap_cache::SwapDevice::add_folio) does. That would deadlock;
    /// types don't track which locks are held. Mirrors `zswap_invalidate()` of each slot.
    #[inline] // make bench: with an empty tree it is a test and a jump
    pub(crate) fn clear(self, look: impl Fn(&Entry)) {
        if let Some(tree) = self.filled_tree() {
            // SAFETY: By the type invariant `self` gives exclusive access to the slots, and is consumed.
            unsafe { clear(tree, self.offsets, look) };
        }
    }
}

/// The next leaf in which one of the slots at `offsets`, all in `tree`, has an entry. Removes the slots of that leaf, and
/// of the leaves before it, from `offsets`.
///
/// # Safety
///
/// The caller must have a witness for the slots for `'a`.
unsafe fn next_filled<'a>(tree: &'a Tree, offsets: &mut Range<usize>) -> Option<LeafRef<'a>> {
    while offsets.start < offsets.end {
        let run = index::in_one_leaf(offsets);
        offsets.start = run.end;
        // SAFETY: The caller guarantees that it has a witness for the slots, which include those of `run`.
        if let Some(leaf) = unsafe { LeafRef::first_filled(tree, run) } {
            return Some(leaf);
        }
    }
    None
}

/// [`Slots::clear`], of slots in a tree that isn't empty. The entries of a leaf are removed from their LRU lists
/// together.
///
/// # Safety
///
/// The caller must have a witness for the slots at `offsets`, all in `tree`.
#[inline(never)]
unsafe fn clear(tree: &Tree, mut offsets: Range<usize>, look: impl Fn(&Entry)) {
    // SAFETY: The caller guarantees that it has a witness for the slots.
    let Some(mut leaf) = (unsafe { next_filled(tree, &mut offsets) }) else {
        return;
    };
    FreeBatch::with(|batch| loop {
        let run = index::in_one_leaf(&(leaf.offset()..offsets.end));
        // SAFETY: The caller guarantees that it has a witness for the slots, which own their entries.
        unsafe { lru::del_each(leaf.leaf().entries(run.clone())) };
        for offset in run {
            // SAFETY: The caller guarantees that it has a witness for the slot.
            if let Some(entry) = unsafe { leaf.empty(offset) } {
                race_point!(atomic "invalidate:after_erase");
                look(&entry);
                batch.free(entry);
            }
        }
        // SAFETY: The caller guarantees that it has a witness for the remaining slots.
        let Some(next) = (unsafe { next_filled(tree, &mut offsets) }) else {
            break;
        };
        leaf = next;
    });
}

/// The entry of a slot.
///
/// # Invariants
///
/// This value gives exclusive access for `'a` to the slot at `leaf.offset()`, which has an entry. `leaf` owns no
/// references.
pub(super) struct SlotEntry<'a> {
    leaf: LeafRef<'a>,
    // Bound to the task that holds the folio's lock.
    _not_send: NotThreadSafe,
}

impl SlotEntry<'_> {
    /// Borrows the entry.
    pub(super) fn get(&self) -> &Entry {
        let entry = self.leaf.leaf().slot(self.leaf.offset()).load(Relaxed);
        // SAFETY: By the type invariant the slot has an entry, and no other task can remove it. `take` consumes `self`.
        unsafe { &*entry }
    }

    /// Removes the entry from its slot. Mirrors `xa_erase()` in C's `zswap_load()`.
    #[inline] // make bench: for each folio that is loaded
    pub(super) fn take(mut self) -> StoredEntry {
        let offset = self.leaf.offset();
        // SAFETY: By the type invariant `self` gives exclusive access to the slot, and the slot has an entry.
        unsafe { self.leaf.empty(offset).unwrap_unchecked() }
    }
}

/// The number of slots that have an entry, of `nr` slots from `first` on, all in one tree. Those whose bit in `zeroes` is
/// set (bit 0 for the first slot) are not counted: an entry of a zero-marked slot is stale.
///
/// The result may be stale at once, unless the slots' cluster is locked, and they are in use and have no folio: to store,
/// load or write back requires the lock of a folio that is in the swap cache for the slot, and such a folio enters the
/// swap cache and leaves it under the cluster's lock. To free a slot requires that lock as well.
///
/// # Safety
///
/// The device of `first` must not be swapped off during the call.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
pub(crate) unsafe fn count_filled(first: bindings::swp_entry_t, nr: usize, zeroes: usize) -> usize {
    // SAFETY: The caller guarantees that the device is not swapped off.
    let first = unsafe { SwapEntry::from_raw(first) };
    // SAFETY: The caller guarantees that the device is not swapped off during the call.
    let Some(tree) = (unsafe { tree(first) }) else {
        return 0;
    };
    let mut offsets = first.offset()..first.offset().wrapping_add(nr);
    let mut zeroes = zeroes as u64;
    let mut filled = 0usize;
    while !offsets.is_empty() {
        let run = index::in_one_leaf(&offsets);
        let entries = LeafRef::filled(tree, run.clone()) & !zeroes;
        filled = filled.wrapping_add(entries.count_ones() as usize);
        zeroes = zeroes.checked_shr(run.len() as u32).unwrap_or(0);
        offsets.start = run.end;
    }
    filled
}

const MAX_DEVICES: usize = bindings::MAX_SWAPFILES as usize;

/// The trees of each device, from [`attach`] to [`detach`].
///
/// `TREES[device]` is null, or points to `NR_TREES[device]` initialised trees that don't move, in memory of `KVmalloc`.
/// (Two arrays, so that the address of an element takes no multiplication.)
static TREES: [Atomic<*mut Tree>; MAX_DEVICES] =
    [const { Atomic::new(core::ptr::null_mut()) }; MAX_DEVICES];
static NR_TREES: [Atomic<usize>; MAX_DEVICES] = [const { Atomic::new(0) }; MAX_DEVICES];

/// The pointer to the trees of a device.
fn trees(entry: SwapEntry) -> *mut Tree {
    // SAFETY: By the invariant of `SwapEntry` the device's number is below `MAX_SWAPFILES`.
    let trees = unsafe { TREES.get_unchecked(entry.device()) };
    // Acquire pairs with the release in `attach`: a reader that sees the pointer also sees the initialised trees and
    // their number.
    trees.load(Acquire)
}

/// The tree for `entry`, if the device has one. Mirrors `swap_zswap_tree()`.
///
/// # Safety
///
/// The device of `entry` must not be swapped off during `'a`.
pub(super) unsafe fn tree<'a>(entry: SwapEntry) -> Option<&'a Tree> {
    let trees = trees(entry);
    let index = entry.offset() / SLOTS_PER_TREE;
    if trees.is_null() || index >= NR_TREES.get(entry.device())?.load(Relaxed) {
        return None;
    }
    // SAFETY: The device has `NR_TREES[device]` initialised trees. Only its owner frees them, and the caller guarantees
    // that the device is not swapped off during `'a`.
    Some(unsafe { &*trees.add(index) })
}

/// Creates trees for the `nr_slots` slots of a device. May sleep. Fails with `ENOMEM`, and with `EINVAL` if `device` is
/// not below `MAX_SWAPFILES`, or if the number of slots is 0, or too large for offsets of [`SwapEntry::OFFSET_BITS`]
/// bits; C has checked all three.
///
/// Mirrors `zswap_swapon()`.
///
/// # Safety
///
/// As for [`detach`].
pub(crate) unsafe fn attach(device: c_int, nr_slots: usize) -> Result {
    if nr_slots == 0 || nr_slots as u64 > 1 << SwapEntry::OFFSET_BITS {
        return Err(EINVAL);
    }
    let device = usize::try_from(device).map_err(|_| EINVAL)?;
    let trees = TREES.get(device).ok_or(EINVAL)?;
    let nr = nr_slots.div_ceil(SLOTS_PER_TREE);
    let layout = Layout::array::<Tree>(nr).map_err(|_| ENOMEM)?;
    // SAFETY: The caller guarantees that the device is out of use.
    unsafe { free(device) };
    let new = KVmalloc::alloc(layout, GFP_KERNEL, NumaNode::NO_NODE)
        .map_err(|_| ENOMEM)?
        .cast::<Tree>()
        .as_ptr();
    for i in 0..nr {
        // SAFETY: The allocation is large enough for `nr` trees. It is not published yet, and never moves.
        unsafe {
            pin_init::raw_init(
                new.add(i),
                XArray::new_plain(c"zswap_tree", static_lock_class!()),
            )
        };
    }
    // Release publishes the initialised trees with their number.
    NR_TREES[device].store(nr, Relaxed);
    trees.store(new, Release);
    Ok(())
}

/// Frees the trees of a device, if it has any, and the entries that are left in them, with a warning: swapoff has freed
/// all slots, and with them their entries. May sleep. Mirrors `zswap_swapoff()`.
///
/// # Safety
///
/// During the call, the device must be out of use, and no other task may use its type (`si->type`): either swapon hasn't
/// published it yet, or swapoff has freed all its slots, and has waited for all tasks that could have a reference to it.
/// (The task that has set `SWP_USED` of its `swap_info_struct`, and not cleared it yet, has exclusive access to this type
/// of device; swapoff also holds `swapon_mutex`. The flag is set and cleared under `swap_lock`, which orders successive
/// owners.)
pub(crate) unsafe fn detach(device: c_int) {
    // SAFETY: The caller guarantees that the device is out of use.
    let empty = unsafe { free(device as usize) };
    warn_on_once!(!empty);
}

/// Frees the trees of a device, and the entries that are left in them. Returns whether there were none.
///
/// # Safety
///
/// As for [`detach`].
unsafe fn free(device: usize) -> bool {
    let Some((trees, nr)) = TREES.get(device).zip(NR_TREES.get(device)) else {
        return true;
    };
    // Relaxed: the caller guarantees that it is alone, after the owner that attached the trees.
    let Some(first) = NonNull::new(trees.load(Relaxed)) else {
        return true;
    };
    trees.store(core::ptr::null_mut(), Relaxed);
    let nr = nr.load(Relaxed);
    let mut empty = true;
    for i in 0..nr {
        // SAFETY: The device had `nr` trees. No other task uses them, since the device is out of use, and no task can find
        // them any more.
        unsafe {
            let tree = first.as_ptr().add(i);
            empty &= (*tree).is_empty();
            tree.drop_in_place();
        }
    }
    // SAFETY: `attach` allocated the memory for that number of trees, and no task can find it any more.
    unsafe { KVmalloc::free(first.cast(), Layout::array::<Tree>(nr).unwrap_unchecked()) };
    empty
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kunit_tests(zswap_slots)]
mod tests {
    use super::{
        super::index::{
            tests::{
                leaves,
                refs_in,
                slot,
                Entries,
                DEVICE, //
            },
            SLOTS_PER_LEAF, //
        },
        *, //
    };
    use core::cell::Cell;

    #[test]
    fn devices_out_of_range_are_refused() {
        for device in [-1, MAX_DEVICES as c_int] {
            // SAFETY: No device has this type.
            assert_eq!(unsafe { attach(device, 1) }, Err(EINVAL));
            // SAFETY: No device has this type.
            unsafe { detach(device) };
        }
    }

    /// The tree of the slot at `offset`.
    fn tree_at(offset: usize) -> Option<&'static Tree> {
        // SAFETY: Tests don't use the tree after they have detached it.
        unsafe { tree(slot(offset)) }
    }

    /// The `refs` of the leaf of the slot at `offset`.
    fn refs(offset: usize) -> Option<usize> {
        refs_in(tree_at(offset)?, offset)
    }

    /// `n` references to the leaf of the slot at `offset`.
    fn get(offset: usize, n: usize) -> Result<LeafRef<'static>> {
        let tree = tree_at(offset).ok_or(EINVAL)?;
        LeafRef::get_or_insert(tree, offset, n, leaves()?)
    }

    /// Attaches the device with `nr` slots.
    fn set_up(nr: usize) -> Result {
        // SAFETY: No swap device has this type, and no other task uses it.
        unsafe { attach(DEVICE as c_int, nr) }
    }

    /// Detaches the device. Returns whether its trees were empty.
    fn tear_down() -> bool {
        // SAFETY: No swap device has this type, and no other task uses it.
        unsafe { super::free(DEVICE) }
    }

    /// Fills the slot at `offset` with an entry of `len` bytes, and returns the length of the entry that it had.
    fn store(entries: &Entries, offset: usize, len: usize) -> Result<Option<usize>> {
        let mut leaf = get(offset, 1)?;
        let entry = entries.entry(offset, len)?;
        // SAFETY: No other task uses the slot, whose type is that of no device. The entry is counted, and has no objcg.
        let old = unsafe { leaf.fill(offset, entry) };
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
        let slots = unsafe { Slots::freed(slot(offset).as_raw(), nr, &call) };
        slots.clear(look);
        all.get()
    }

    #[test]
    fn entries_are_freed_with_their_slots() -> Result {
        let entries = Entries::new()?;
        set_up(SLOTS_PER_TREE)?;
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
        assert!(tear_down());
        Ok(())
    }

    #[test]
    fn entries_that_are_left_are_freed_with_the_device() -> Result {
        let entries = Entries::new()?;
        set_up(10)?;
        store(&entries, 6, 7)?;
        store(&entries, 7, 8)?;
        assert_eq!(free(7, 1), 8);
        assert_eq!(free(7, 1), 0);
        assert_eq!((stored(6), stored(7)), (Some(7), None));
        // `tear_down` returns false if entries are left.
        assert!(!tear_down());
        assert!(tear_down());
        Ok(())
    }

    #[test]
    fn a_device_has_trees_for_its_slots() -> Result {
        assert!(tree_at(0).is_none());
        assert_eq!(set_up(0).err(), Some(EINVAL));
        let too_many = (1 << SwapEntry::OFFSET_BITS) + 1;
        assert_eq!(set_up(too_many).err(), Some(EINVAL));
        assert!(tree_at(0).is_none());

        set_up(SLOTS_PER_TREE + 1)?;
        assert!(tree_at(0).is_some() && tree_at(SLOTS_PER_TREE).is_some());
        assert!(tree_at(2 * SLOTS_PER_TREE).is_none());
        // Attaching again replaces the trees.
        set_up(SLOTS_PER_TREE)?;
        assert!(tree_at(0).is_some() && tree_at(SLOTS_PER_TREE).is_none());
        assert!(tear_down());
        assert!(tear_down());
        assert!(tree_at(0).is_none());
        Ok(())
    }

    #[test]
    fn a_leaf_stays_as_long_as_it_has_references() -> Result {
        let entries = Entries::new()?;
        set_up(SLOTS_PER_TREE)?;

        // Filling a slot uses one of two references.
        let mut leaf = get(3, 2)?;
        assert_eq!(refs(3), Some(2));
        // SAFETY: No other task uses the slot, which is in this leaf and has a reference. The entry is counted, and has no
        // objcg.
        assert!(unsafe { leaf.fill(3, entries.entry(3, 6)?) }.is_none());
        assert_eq!(refs(3), Some(2));
        drop(leaf);
        assert_eq!(refs(3), Some(1));

        // Replacing the entry of a slot uses no reference.
        let mut leaf = get(3, 1)?;
        // SAFETY: No other task uses the slot, which is in this leaf and has a reference. The entry is counted, and has no
        // objcg.
        let old = unsafe { leaf.fill(3, entries.entry(3, 7)?) };
        assert_eq!(old.map(|old| old.object().len()), Some(6));
        assert_eq!(refs(3), Some(2));
        drop(leaf);
        assert_eq!(refs(3), Some(1));

        // References pin a leaf without an entry.
        let pin = get(8, 2)?;
        assert_eq!(refs(3), Some(3));
        let tree = tree_at(3).ok_or(EINVAL)?;
        // SAFETY: No other task uses the slots.
        let entry = unsafe {
            let mut leaf = LeafRef::first_filled(tree, 0..SLOTS_PER_LEAF).ok_or(EINVAL)?;
            assert_eq!(leaf.offset(), 3);
            let entry = leaf.empty(3);
            assert!(leaf.empty(3).is_none());
            entry
        };
        assert_eq!(entry.map(|entry| entry.object().len()), Some(7));
        assert_eq!(refs(3), Some(2));
        // SAFETY: No other task uses the slots.
        assert!(unsafe { LeafRef::first_filled(tree, 0..SLOTS_PER_LEAF) }.is_none());
        drop(pin);
        assert!(refs(3).is_none());
        assert!(tree.is_empty());
        assert!(tear_down());
        Ok(())
    }
}
