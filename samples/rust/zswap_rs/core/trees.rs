// SPDX-License-Identifier: GPL-2.0-or-later

//! The trees of each swap device, from swapon to swapoff.
//!
//! C header: [`include/linux/zswap.h`](srctree/include/linux/zswap.h)

use super::index::{
    Tree,
    SLOTS_PER_TREE, //
};
use core::{
    alloc::Layout,
    marker::PhantomData,
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
        swapops::SwapEntry, //
    },
    prelude::*,
    static_lock_class,
    sync::atomic::{
        Acquire,
        Atomic,
        Relaxed,
        Release, //
    },
    xarray::XArray,
};

pub(super) const MAX_DEVICES: usize = bindings::MAX_SWAPFILES as usize;

/// The trees of all devices, from when swapon attaches them to when swapoff detaches them.
///
/// # Invariants
///
/// `trees[device]` is null, or points to `nr[device]` initialised trees that don't move, in memory of
/// `KVmalloc`. Both are changed only by a [`DeadDevice`].
struct Index {
    // Two arrays, so that the address of an element takes no multiplication.
    trees: [Atomic<*mut Tree>; MAX_DEVICES],
    nr: [Atomic<usize>; MAX_DEVICES],
}

// SAFETY: It is a collection of trees, which are `Sync`. The entries that witnesses lend without a lock are `Send` and
// `Sync`.
unsafe impl Sync for Index {}

static INDEX: Index = Index {
    trees: [const { Atomic::new(core::ptr::null_mut()) }; MAX_DEVICES],
    nr: [const { Atomic::new(0) }; MAX_DEVICES],
};

impl Index {
    /// The pointer to the trees of a device, and their number.
    fn device(&self, entry: SwapEntry) -> (&Atomic<*mut Tree>, &Atomic<usize>) {
        let device = entry.device();
        // SAFETY: By the invariant of `SwapEntry` the number is below `MAX_SWAPFILES`.
        unsafe {
            (
                self.trees.get_unchecked(device),
                self.nr.get_unchecked(device),
            )
        }
    }
}

/// The tree for `entry`, if the device has one. Mirrors `swap_zswap_tree()`.
///
/// # Safety
///
/// The device of `entry` must not be swapped off during `'a`.
pub(super) unsafe fn tree<'a>(entry: SwapEntry) -> Option<&'a Tree> {
    let (trees, nr) = INDEX.device(entry);
    let index = entry.offset() / SLOTS_PER_TREE;
    // Acquire pairs with the release in `DeadDevice::attach`: a reader that sees the pointer also sees the initialised
    // trees and their number.
    let trees = trees.load(Acquire);
    if trees.is_null() || index >= nr.load(Relaxed) {
        return None;
    }
    // SAFETY: By the invariant of `Index` the tree at `index` is initialised. Only a `DeadDevice` frees it, and the
    // caller guarantees that the device is not swapped off during `'a`.
    Some(unsafe { &*trees.add(index) })
}

/// As [`tree`], for a device that has trees for all of its slots.
///
/// # Safety
///
/// [`DeadDevice::attach`] must have succeeded for the device of `entry`, with the number of slots of the device, which
/// must not be swapped off during `'a`.
pub(super) unsafe fn tree_unchecked<'a>(entry: SwapEntry) -> &'a Tree {
    // Acquire: as in `tree`.
    let trees = INDEX.device(entry).0.load(Acquire);
    // SAFETY: The caller guarantees that `attach` has succeeded, so that the device has trees for all of its slots, and
    // that it is not swapped off during `'a`.
    unsafe { &*trees.add(entry.offset() / SLOTS_PER_TREE) }
}

/// Witness that a swap device is out of use, and that no other task uses its type (`si->type`): either swapon hasn't
/// published the device yet, or swapoff has freed all its slots, and has waited for all tasks that could have a
/// reference to it.
///
/// # Invariants
///
/// `first`, at offset 0, is on such a device for `'a`. Only one such witness exists for a device at a time, and
/// accesses of its owner happen before accesses of the next one's owner. `nr_slots` is 0, or the number of slots that
/// the device will have.
pub(crate) struct DeadDevice<'a> {
    first: SwapEntry,
    /// The number of slots at swapon, 0 at swapoff.
    nr_slots: usize,
    _out_of_use: PhantomData<fn(&'a mut ()) -> &'a mut ()>,
}

impl<'a> DeadDevice<'a> {
    /// The witness that `device` is out of use. `nr_slots` is its number of slots at swapon, and 0 at swapoff. Fails
    /// with `EINVAL` if `device` is not below `MAX_SWAPFILES`.
    ///
    /// # Safety
    ///
    /// During `call`, `device` must be out of use, as described at the type, and no other witness for it may exist.
    /// (The task that has set `SWP_USED` of its `swap_info_struct`, and not cleared it yet, has exclusive access to
    /// this type of device; swapoff also holds `swapon_mutex`. The flag is set and cleared under `swap_lock`, which
    /// orders successive owners.)
    pub(crate) unsafe fn from_raw(
        device: c_int,
        nr_slots: usize,
        _call: &'a mut Call,
    ) -> Result<Self> {
        let device = usize::try_from(device).map_err(|_| EINVAL)?;
        // INVARIANT: The caller guarantees that the device is out of use during `call`, and that no other witness
        // exists, after its earlier owners.
        Ok(Self {
            first: SwapEntry::new(device, 0).ok_or(EINVAL)?,
            nr_slots,
            _out_of_use: PhantomData,
        })
    }
}

/// Proof that the device whose [`DeadDevice`] has the lifetime `'a` has trees for all its slots.
pub(crate) struct Attached<'a>(PhantomData<DeadDevice<'a>>);

impl<'a> DeadDevice<'a> {
    /// Creates trees for the slots of the device. May sleep. Fails with `ENOMEM`, and with `EINVAL` if the number of
    /// slots is 0, or too large for offsets of [`SwapEntry::OFFSET_BITS`] bits, which C has checked.
    ///
    /// Mirrors `zswap_swapon()`.
    pub(crate) fn attach(self) -> Result<Attached<'a>> {
        if self.nr_slots == 0 || self.nr_slots as u64 > 1 << SwapEntry::OFFSET_BITS {
            return Err(EINVAL);
        }
        let nr = self.nr_slots.div_ceil(SLOTS_PER_TREE);
        let layout = Layout::array::<Tree>(nr).map_err(|_| ENOMEM)?;
        self.clear();
        let trees = KVmalloc::alloc(layout, GFP_KERNEL, NumaNode::NO_NODE)
            .map_err(|_| ENOMEM)?
            .cast::<Tree>()
            .as_ptr();
        for i in 0..nr {
            // SAFETY: The allocation is large enough for `nr` trees. It is not published yet, and never moves.
            unsafe {
                pin_init::raw_init(
                    trees.add(i),
                    XArray::new_plain(c"zswap_tree", static_lock_class!()),
                )
            };
        }
        // INVARIANT: `trees` points to `nr` initialised trees. Release publishes them with their number.
        let (its_trees, its_nr) = INDEX.device(self.first);
        its_nr.store(nr, Relaxed);
        its_trees.store(trees, Release);
        Ok(Attached(PhantomData))
    }

    /// Frees the trees of the device, if it has any, and the entries that are left in them. May sleep.
    ///
    /// Returns whether the trees were empty, as they should be. Mirrors `zswap_swapoff()`.
    pub(crate) fn detach(self) -> bool {
        self.clear()
    }

    fn clear(&self) -> bool {
        let (its_trees, its_nr) = INDEX.device(self.first);
        // Relaxed: by the type invariant the stores of the owner that attached the trees happen before.
        let trees = its_trees.load(Relaxed);
        let nr = its_nr.load(Relaxed);
        let Some(ptr) = NonNull::new(trees) else {
            return true;
        };
        // INVARIANT: The device has no trees.
        its_trees.store(core::ptr::null_mut(), Relaxed);
        its_nr.store(0, Relaxed);

        let mut empty = true;
        for i in 0..nr {
            // SAFETY: By the invariant of `Index` the device had `nr` trees. No other task uses them, since the device
            // is out of use, and no task can find them any more.
            unsafe {
                empty &= (*trees.add(i)).is_empty();
                core::ptr::drop_in_place(trees.add(i));
            }
        }
        // SAFETY: `attach` allocated the memory for that number of trees, and no task can find it any more.
        unsafe { KVmalloc::free(ptr.cast(), Layout::array::<Tree>(nr).unwrap_unchecked()) };
        empty
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kunit_tests(zswap_trees)]
pub(super) mod tests {
    use super::{
        super::index::{
            tests::{
                leaves,
                refs_in,
                set_open,
                slot,
                Entries,
                DEVICE, //
            },
            LeafRef,
            SLOTS_PER_LEAF, //
        },
        *, //
    };

    /// The tree of the slot at `offset`.
    pub(in super::super) fn tree_at(offset: usize) -> Option<&'static Tree> {
        // SAFETY: Tests don't use the tree after they have detached it.
        unsafe { tree(slot(offset)) }
    }

    /// The `refs` of the leaf of the slot at `offset`.
    pub(in super::super) fn refs(offset: usize) -> Option<usize> {
        refs_in(tree_at(offset)?, offset)
    }

    /// `n` references to the leaf of the slot at `offset`.
    pub(in super::super) fn get(offset: usize, n: usize) -> Result<LeafRef<'static>> {
        let tree = tree_at(offset).ok_or(EINVAL)?;
        LeafRef::get_or_insert(tree, offset, n, leaves()?)
    }

    /// Attaches the device with `nr` slots.
    pub(in super::super) fn attach(nr: usize) -> Result {
        let mut call = Call::new();
        // SAFETY: No swap device has this type, and no other task uses it.
        unsafe { DeadDevice::from_raw(DEVICE as c_int, nr, &mut call)? }.attach()?;
        Ok(())
    }

    /// Detaches the device. Returns whether its trees were empty.
    pub(in super::super) fn detach() -> Result<bool> {
        let mut call = Call::new();
        // SAFETY: No swap device has this type, and no other task uses it.
        let device = unsafe { DeadDevice::from_raw(DEVICE as c_int, 0, &mut call)? };
        Ok(device.detach())
    }

    #[test]
    fn a_device_has_trees_for_its_slots() -> Result {
        assert!(tree_at(0).is_none());
        assert_eq!(attach(0).err(), Some(EINVAL));
        let too_many = (1 << SwapEntry::OFFSET_BITS) + 1;
        assert_eq!(attach(too_many).err(), Some(EINVAL));
        assert!(tree_at(0).is_none());

        attach(SLOTS_PER_TREE + 1)?;
        assert!(tree_at(0).is_some() && tree_at(SLOTS_PER_TREE).is_some());
        assert!(tree_at(2 * SLOTS_PER_TREE).is_none());
        // Attaching again replaces the trees.
        attach(SLOTS_PER_TREE)?;
        assert!(tree_at(0).is_some() && tree_at(SLOTS_PER_TREE).is_none());
        assert!(detach()?);
        assert!(detach()?);
        assert!(tree_at(0).is_none());
        Ok(())
    }

    #[test]
    fn a_leaf_stays_as_long_as_it_has_references() -> Result {
        let entries = Entries::new()?;
        attach(SLOTS_PER_TREE)?;
        set_open(false)?;
        assert_eq!(get(0, 1).err(), Some(EINVAL));
        assert!(refs(0).is_none());
        set_open(true)?;

        // Filling a slot uses one of two references.
        let mut leaf = get(3, 2)?;
        assert_eq!(refs(3), Some(2));
        // SAFETY: No other task uses the slot, which is in this leaf and has a reference.
        assert!(unsafe { leaf.fill(3, entries.entry(3, 6)?.into_raw()) }.is_none());
        assert_eq!(refs(3), Some(2));
        drop(leaf);
        assert_eq!(refs(3), Some(1));

        // Replacing the entry of a slot uses no reference.
        let mut leaf = get(3, 1)?;
        // SAFETY: No other task uses the slot, which is in this leaf and has a reference.
        let old = unsafe { leaf.fill(3, entries.entry(3, 7)?.into_raw()) };
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
        assert!(detach()?);
        Ok(())
    }
}
