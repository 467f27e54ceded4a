// SPDX-License-Identifier: GPL-2.0-or-later

//! The trees of each swap device, from when it is put into use until it is out of use.
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
/// `KVmalloc`. Both change only by a [`DeadDevice`].
struct Index {
    // Two arrays, so that the address of an element takes no arithmetic.
    trees: [Atomic<*mut Tree>; MAX_DEVICES],
    nr: [Atomic<usize>; MAX_DEVICES],
}

// SAFETY: It is a collection of trees, which are `Sync`; what witnesses lend without a lock is `Send` and `Sync`.
unsafe impl Sync for Index {}

static INDEX: Index = Index {
    trees: [const { Atomic::new(core::ptr::null_mut()) }; MAX_DEVICES],
    nr: [const { Atomic::new(0) }; MAX_DEVICES],
};

impl Index {
    /// Where a device's trees are, and their number.
    #[inline]
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
/// The device of `entry` must not be taken out of use during `'a`.
#[inline]
pub(super) unsafe fn tree<'a>(entry: SwapEntry) -> Option<&'a Tree> {
    let (trees, nr) = INDEX.device(entry);
    let index = entry.offset() / SLOTS_PER_TREE;
    // Acquire pairs with the release in `DeadDevice::attach`: a reader that sees the pointer sees what it
    // points to, and the number.
    let trees = trees.load(Acquire);
    if trees.is_null() || index >= nr.load(Relaxed) {
        return None;
    }
    // SAFETY: By the type invariant of `Index` there is an initialised tree at `index`. It goes away with the
    // device only, which the caller excludes.
    Some(unsafe { &*trees.add(index) })
}

/// As [`tree`], for a device that has trees for all of its slots.
///
/// # Safety
///
/// [`DeadDevice::attach`] must have succeeded for the device of `entry`, with as many slots as it has, and it must not be
/// taken out of use during `'a`.
#[inline(always)] // for every slot that is freed
pub(super) unsafe fn tree_unchecked<'a>(entry: SwapEntry) -> &'a Tree {
    // Acquire as in `tree`.
    let trees = INDEX.device(entry).0.load(Acquire);
    // SAFETY: The caller guarantees that there are trees for all of the device's slots, for `'a`.
    unsafe { &*trees.add(entry.offset() / SLOTS_PER_TREE) }
}

/// Witness that a swap device is out of use, and that its number is nobody else's: either swapon
/// hasn't published the device yet, or swapoff has freed all its slots, and has waited for everybody
/// who could have had a reference to it.
///
/// # Invariants
///
/// `first`, at offset 0, is on such a device for `'a`, and there is one such witness for it at a time: what the
/// holder of one does happens before what that of the next does. If it isn't 0, `nr_slots` is as many as the
/// device will have.
pub(crate) struct DeadDevice<'a> {
    first: SwapEntry,
    /// The slots that it has; none if it is on its way out.
    nr_slots: usize,
    _out_of_use: PhantomData<fn(&'a mut ()) -> &'a mut ()>,
}

impl<'a> DeadDevice<'a> {
    /// The witness that `device` is out of use: to be put into use with `nr_slots` slots, or on its way out, with
    /// none. Fails with `EINVAL` if there is no such number.
    ///
    /// # Safety
    ///
    /// For the time of `call`, `device` must be out of use, as described at the type, and nobody else may
    /// have a witness for it. (The task that has set `SWP_USED` of its `swap_info_struct`, and not
    /// cleared it yet, has the number to itself; swapoff holds `swapon_mutex` besides. `swap_lock`, under which
    /// the flag is set and cleared, orders one owner of the number after the other.)
    pub(crate) unsafe fn from_raw(
        device: c_int,
        nr_slots: usize,
        _call: &'a mut Call,
    ) -> Result<Self> {
        let device = usize::try_from(device).map_err(|_| EINVAL)?;
        if device >= MAX_DEVICES {
            return Err(EINVAL);
        }
        // INVARIANT: The caller has the number to itself for the time of the call, after its earlier owners.
        Ok(Self {
            // SAFETY: The number was just checked; the rest is arithmetic.
            first: unsafe { SwapEntry::from_raw(bindings::swp_entry(device, 0)) },
            nr_slots,
            _out_of_use: PhantomData,
        })
    }
}

/// Proof that the device whose [`DeadDevice`] had the lifetime `'a` has trees for all its slots.
pub(crate) struct Attached<'a>(PhantomData<DeadDevice<'a>>);

impl<'a> DeadDevice<'a> {
    /// Makes trees for the slots of the device. May sleep. Fails with `ENOMEM`; with `EINVAL` for a device that
    /// isn't to be put into use, or has more slots than [`SwapEntry::OFFSET_BITS`] can name, which C refuses before.
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
            // SAFETY: The allocation has room for `nr` trees, nobody else knows it yet, and it doesn't move.
            unsafe {
                pin_init::raw_init(
                    trees.add(i),
                    XArray::new_plain(c"zswap_tree", static_lock_class!()),
                )
            };
        }
        // INVARIANT: `nr` initialised trees. Release publishes them together with their number.
        let (its_trees, its_nr) = INDEX.device(self.first);
        its_nr.store(nr, Relaxed);
        its_trees.store(trees, Release);
        Ok(Attached(PhantomData))
    }

    /// Drops the trees that the device has, and what is left in them, if there are any. May sleep.
    ///
    /// Returns whether the trees were empty, as they should have been. Mirrors `zswap_swapoff()`.
    pub(crate) fn detach(self) -> bool {
        self.clear()
    }

    fn clear(&self) -> bool {
        let (its_trees, its_nr) = INDEX.device(self.first);
        // Relaxed: by the type invariant what the owner of the device did that attached the trees came before.
        let trees = its_trees.load(Relaxed);
        let nr = its_nr.load(Relaxed);
        let Some(ptr) = NonNull::new(trees) else {
            return true;
        };
        // INVARIANT: No trees; the device is ours.
        its_trees.store(core::ptr::null_mut(), Relaxed);
        its_nr.store(0, Relaxed);

        let mut empty = true;
        for i in 0..nr {
            // SAFETY: By the invariant of `Index` these are `nr` trees. Nobody else uses them, as the device is out of
            // use, or will, since they are no longer reachable.
            unsafe {
                empty &= (*trees.add(i)).is_empty();
                core::ptr::drop_in_place(trees.add(i));
            }
        }
        // SAFETY: Allocated by `attach` with that number of trees, and unreachable now.
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

    /// A reference to the leaf of the slot at `offset`, for each of `n` slots.
    pub(in super::super) fn get(offset: usize, n: usize) -> Result<LeafRef<'static>> {
        let tree = tree_at(offset).ok_or(EINVAL)?;
        LeafRef::get_or_insert(tree, offset, n, leaves()?)
    }

    /// Puts the device into use, with `nr` slots.
    pub(in super::super) fn attach(nr: usize) -> Result {
        let mut call = Call::new();
        // SAFETY: The number is no device's, and no other task uses it.
        unsafe { DeadDevice::from_raw(DEVICE as c_int, nr, &mut call)? }.attach()?;
        Ok(())
    }

    /// Takes the device out of use. Returns whether its trees were empty.
    pub(in super::super) fn detach() -> Result<bool> {
        let mut call = Call::new();
        // SAFETY: The number is no device's, and no other task uses it.
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
        // Another one takes their place.
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

        // Of two references a slot takes one.
        let mut leaf = get(3, 2)?;
        assert_eq!(refs(3), Some(2));
        // SAFETY: No other task uses the slot, which is one of this leaf.
        assert!(unsafe { leaf.fill(3, entries.entry(3, 6)?.into_raw()) }.is_none());
        assert_eq!(refs(3), Some(2));
        drop(leaf);
        assert_eq!(refs(3), Some(1));

        // A slot whose entry is replaced takes none.
        let mut leaf = get(3, 1)?;
        // SAFETY: As above.
        let old = unsafe { leaf.fill(3, entries.entry(3, 7)?.into_raw()) };
        assert_eq!(old.map(|old| old.object().len()), Some(6));
        assert_eq!(refs(3), Some(2));
        drop(leaf);
        assert_eq!(refs(3), Some(1));

        // References pin a leaf without an entry.
        let pin = get(8, 2)?;
        assert_eq!(refs(3), Some(3));
        let tree = tree_at(3).ok_or(EINVAL)?;
        // SAFETY: No other task uses the slot, which is filled, and is emptied once.
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
