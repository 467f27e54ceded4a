// SPDX-License-Identifier: GPL-2.0

//! What subsystems keep for swap slots, and the evidence that opens a slot.
//!
//! *The swap cache is the synchroniser*: the lock of the folio that a slot has in the swap cache
//! serialises access to what is kept for the slot. Access requires evidence (a proof token); there
//! is no other way in:
//!
//! | evidence           | what C has at that point                                     | opens                |
//! |--------------------|--------------------------------------------------------------|----------------------|
//! | [`CachedFolio`]    | the folio's lock, and it is in the swap cache                | its slots: [`Slots`] |
//! | [`UnreadFolio`]    | the same, and the folio's content isn't there yet            | its slot, read only  |
//! | [`WritebackFolio`] | the same, and the slot has no zero mark                      | its slot, read only  |
//! | [`FreedSlot`]      | the cluster's lock, and the slot's swap-table entry is NULL  | that slot            |
//! | [`DeadDevice`]     | swapoff has waited for all users, or swapon isn't done yet   | a device's trees     |
//!
//! They exclude each other: a folio in the swap cache keeps its slots from being freed and its
//! device from dying, and a slot whose swap-table entry is NULL has no folio.
//!
//! C headers: [`include/linux/swap.h`](srctree/include/linux/swap.h),
//! [`include/linux/zswap.h`](srctree/include/linux/zswap.h)
//!
//! [`UnreadFolio`]: super::swap::UnreadFolio
//! [`WritebackFolio`]: super::swap::WritebackFolio

use crate::{
    alloc::{
        allocator::KVmalloc,
        Allocator,
        Flags,
        NumaNode, //
    },
    bindings,
    error::{
        code::{
            EINVAL,
            ENOMEM, //
        },
        Result, //
    },
    ffi::c_int,
    mm::{
        folio::{
            CachedFolio,
            FolioPage, //
        },
        swapops::SwapEntry,
    },
    prelude::*,
    str::CStr,
    sync::{
        atomic::{
            ordering::{
                Acquire,
                Relaxed,
                Release, //
            },
            Atomic,
        },
        LockClassKey,
    },
    types::{
        ForeignOwnable,
        NotThreadSafe, //
    },
    xarray::{
        StoreError,
        Unguarded,
        XArray, //
    },
};
use core::{
    marker::PhantomData,
    pin::Pin,
    ptr::NonNull, //
};

/// A type whose values are kept for swap slots. Implemented by [`impl_kept!`].
///
/// The trees belong to the type: neither another device's tree nor another subsystem's can be named.
///
/// # Safety
///
/// `trees()` must always return the same trees, and no other implementation may return them.
///
/// [`impl_kept!`]: crate::impl_kept
pub unsafe trait Kept: Sized + 'static {
    /// How a slot owns its value.
    type Owned: ForeignOwnable + Send + Sync + 'static;

    /// The trees of all devices.
    fn trees() -> &'static SlotTrees<Self>;
}

/// Says that values of a type are kept for swap slots, owned as `owned`, in trees of their own.
///
/// lockdep will show the lock of each tree as `name`.
///
/// ```ignore
/// impl_kept! {
///     impl Kept for Entry { owned: slab::Object<Entry>, name: c"zswap_tree" }
/// }
/// ```
#[macro_export]
macro_rules! impl_kept {
    (impl Kept for $self:ty { owned: $owned:ty, name: $name:expr $(,)? }) => {
        // C is never told that the trees go.
        #[cfg(MODULE)]
        ::core::compile_error!("impl_kept! is for built-in code");

        // SAFETY: It is the `static` of this implementation, which nobody else can name.
        unsafe impl $crate::mm::swap_slots::Kept for $self {
            type Owned = $owned;

            #[inline]
            fn trees() -> &'static $crate::mm::swap_slots::SlotTrees<Self> {
                static TREES: $crate::mm::swap_slots::SlotTrees<$self> =
                    $crate::mm::swap_slots::SlotTrees::new($name);
                &TREES
            }
        }
    };
}

/// What is kept for a slot, borrowed: for a `KBox<T>`, a `&T`.
pub type Borrowed<'a, T> = <<T as Kept>::Owned as ForeignOwnable>::Borrowed<'a>;

/// What is kept for a slot now, borrowed, and what was kept before.
type Replaced<'a, T> = (Borrowed<'a, T>, Option<<T as Kept>::Owned>);

const MAX_DEVICES: usize = bindings::MAX_SWAPFILES as usize;

/// Slots in one tree: 64 MiB of swap space with pages of 4 KiB.
///
/// Mirrors `ZSWAP_ADDRESS_SPACE_PAGES`: small enough that one tree's lock isn't fought over.
const SLOTS_PER_TREE: usize = 1 << 14;

const _: () = assert!(SLOTS_PER_TREE % bindings::SWAPFILE_CLUSTER_SLOTS == 0);

/// What is kept for all swap slots: for each device an array of trees, from when swapon has attached
/// it to when swapoff detaches it.
///
/// All access goes through one of the evidences of [the module](self).
///
/// # Invariants
///
/// - `trees[device]` is null, or points to `nr[device]` initialised trees that don't move, in memory
///   of `KVmalloc`. Both change with a [`DeadDevice`] for `device` only.
/// - An element at `index` of the tree of a slot is touched only with evidence for that slot.
///
/// # Examples
///
/// ```
/// use kernel::mm::{
///     folio::CachedFolio,
///     swap_slots::{Attached, DeadDevice, FreedSlot},
/// };
///
/// struct Note(u32);
///
/// kernel::impl_kept! {
///     impl Kept for Note { owned: KBox<Note>, name: c"notes" }
/// }
///
/// fn swapon(device: DeadDevice<'_>) -> Result<Attached<'_, Note>> {
///     device.attach(kernel::static_lock_class!())
/// }
///
/// // A note for each page of a folio that is swapped out.
/// fn note(folio: &mut CachedFolio<'_>, note: u32) -> Result {
///     let mut slots = folio.slots::<Note>();
///     for index in 0..slots.len() {
///         slots.replace(index, KBox::new(Note(note), GFP_KERNEL)?, GFP_KERNEL)?;
///     }
///     Ok(())
/// }
///
/// fn first_note(folio: &mut CachedFolio<'_>) -> Option<u32> {
///     folio.slots::<Note>().occupied(0).map(|slot| slot.get().0)
/// }
///
/// fn forget(slot: FreedSlot<'_, Note>) {
///     drop(slot.take());
/// }
/// ```
pub struct SlotTrees<T: Kept> {
    // Apart from their number, so that the address of each takes no arithmetic.
    trees: [Atomic<*mut XArray<T::Owned>>; MAX_DEVICES],
    nr: [Atomic<usize>; MAX_DEVICES],
    name: &'static CStr,
    // Invariant in `T`, as is all that comes of it: the type is what says which trees these are.
    _p: PhantomData<fn(T) -> T>,
}

// SAFETY: It is a collection of `XArray<T::Owned>`, for which that is `Send`; it is `Sync` for the
// elements that `Occupied` borrows without a lock.
unsafe impl<T: Kept> Sync for SlotTrees<T> {}

impl<T: Kept> SlotTrees<T> {
    /// No trees. For [`impl_kept!`](crate::impl_kept).
    #[doc(hidden)]
    pub const fn new(name: &'static CStr) -> Self {
        Self {
            trees: [const { Atomic::new(core::ptr::null_mut()) }; MAX_DEVICES],
            nr: [const { Atomic::new(0) }; MAX_DEVICES],
            name,
            _p: PhantomData,
        }
    }

    /// The tree for `entry`, if the device has one.
    ///
    /// # Safety
    ///
    /// The device of `entry` must not be taken out of use during `'a`.
    #[inline]
    unsafe fn tree<'a>(&'a self, entry: SwapEntry) -> Option<&'a XArray<T::Owned>> {
        let device = entry.device();
        // SAFETY: By the invariant of `SwapEntry` the number is below `MAX_SWAPFILES`.
        let (trees, nr) = unsafe {
            (
                self.trees.get_unchecked(device),
                self.nr.get_unchecked(device),
            )
        };
        let index = entry.offset() / SLOTS_PER_TREE;
        // Acquire pairs with the release in `attach`: a reader that sees the pointer sees what it
        // points to, and the number.
        let trees = trees.load(Acquire);
        if trees.is_null() || index >= nr.load(Relaxed) {
            return None;
        }
        // SAFETY: By the type invariant there is an initialised tree at `index`. It goes away with
        // a `DeadDevice` only, which the caller excludes.
        Some(unsafe { &*trees.add(index) })
    }

    /// Where a device's trees are, and their number.
    fn device(&self, device: &DeadDevice<'_>) -> (&Atomic<*mut XArray<T::Owned>>, &Atomic<usize>) {
        let device = device.device;
        // SAFETY: By the invariant of `DeadDevice` the index is below `MAX_DEVICES`.
        unsafe {
            (
                self.trees.get_unchecked(device),
                self.nr.get_unchecked(device),
            )
        }
    }
}

impl CachedFolio<'_> {
    /// The swap entry of the folio's first page; those of the other pages follow it. Mirrors
    /// `folio->swap`.
    #[inline]
    pub fn swap(&self) -> SwapEntry {
        // SAFETY: The folio is alive and in the swap cache, by the type invariant: the field names
        // its first slot, which is on a device in use.
        unsafe { SwapEntry::from_raw(bindings::folio_swap(self.as_raw())) }
    }
}

impl<'f> CachedFolio<'f> {
    /// What is kept of `T` for the folio's slots.
    ///
    /// Finds the tree by the folio's own swap entry and by the type: there is no way to name another.
    #[inline]
    pub fn slots<'a, T: Kept>(&'a mut self) -> Slots<'a, 'f, T> {
        let first = self.swap();
        Slots {
            // INVARIANT: A folio's slots are aligned to their number, which is at most that of a
            // cluster and divides `SLOTS_PER_TREE`: all are in one tree. By the invariant of
            // `CachedFolio` the slots are ours, and the device is alive, which its trees outlive.
            //
            // SAFETY: The device is alive for as long as `self` is borrowed.
            tree: unsafe { T::trees().tree(first) },
            first,
            nr: self.nr_pages(),
            folio: self,
        }
    }
}

/// What is kept for the slots of a [`CachedFolio`], while nobody else can touch it.
///
/// # Invariants
///
/// For `'a` the `nr` slots from `first` on, all in `tree`, are ours alone.
pub struct Slots<'a, 'f, T: Kept> {
    tree: Option<&'a XArray<T::Owned>>,
    first: SwapEntry,
    nr: usize,
    folio: &'a CachedFolio<'f>,
}

impl<'a, 'f, T: Kept> Slots<'a, 'f, T> {
    /// The folio that they are the slots of.
    #[inline]
    pub fn folio(&self) -> &'a CachedFolio<'f> {
        self.folio
    }

    /// How many there are: as many as the folio has pages.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.nr
    }

    /// Slot `index` of the folio: its entry, and the folio's page for it.
    #[inline]
    pub fn get(&self, index: usize) -> Option<(SwapEntry, FolioPage<'a>)> {
        if index >= self.nr {
            return None;
        }
        // SAFETY: The folio has `nr` pages, as nobody else could split it.
        Some((self.first.after(index), unsafe {
            self.folio.page_unchecked(index)
        }))
    }

    /// Where slot `index` is in the tree.
    #[inline]
    fn offset(&self, index: usize) -> usize {
        self.first.after(index).offset()
    }

    /// What is kept for slot `index` of the folio. The others can't be looked at meanwhile.
    #[inline]
    pub fn occupied(self, index: usize) -> Option<Occupied<'a, T>> {
        if index >= self.nr {
            return None;
        }
        // Often there is nothing in all of it: that takes no walk.
        let tree = self.tree.filter(|tree| !tree.is_empty())?;
        let offset = self.offset(index);
        // INVARIANT: By ours, which is given up.
        Some(Occupied {
            tree,
            offset,
            found: tree.load(offset)?,
            _not_send: NotThreadSafe,
        })
    }

    /// Keeps `value` for slot `index` of the folio. Returns it, borrowed, and what was kept before.
    ///
    /// May sleep if `gfp` may. On failure gives `value` back: with `EINVAL` if the folio has no
    /// such slot or the device no trees, else with `ENOMEM`. Mirrors `xa_store()` in C's
    /// `zswap_store_page()`.
    #[inline]
    pub fn replace(
        &mut self,
        index: usize,
        value: T::Owned,
        gfp: Flags,
    ) -> Result<Replaced<'_, T>, StoreError<T::Owned>> {
        let tree = match self.tree {
            Some(tree) if index < self.nr => tree,
            _ => {
                return Err(StoreError {
                    error: EINVAL,
                    value,
                })
            }
        };
        let (stored, old) = tree.store_and_load(self.offset(index), value, gfp)?;
        // SAFETY: The slot is ours: nobody else takes the element out, or looks at it, for as long
        // as `self` is borrowed, and we can't.
        Ok((unsafe { stored.borrow() }, old))
    }
}

impl<'f, T: Kept> Slots<'f, 'f, T> {
    /// Empties every slot of the folio. Doesn't sleep, unless dropping a `T` does.
    ///
    /// The folio's evidence must be borrowed for all its time: with it, something could be put into
    /// a slot again.
    #[inline]
    pub fn clear(self) -> Cleared<'f, T> {
        if let Some(tree) = self.tree {
            for index in 0..self.nr {
                let offset = self.offset(index);
                // No lock for a slot that has nothing: it is ours, so nothing can come.
                if tree.load(offset).is_some() {
                    drop(tree.erase(offset));
                }
            }
        }
        Cleared(PhantomData, PhantomData)
    }
}

/// Says that no slot of the folio whose [`CachedFolio`] had the lifetime `'f` has a `T` any more, nor
/// will have one for that long.
pub struct Cleared<'f, T>(PhantomData<CachedFolio<'f>>, PhantomData<fn(T) -> T>);

/// A slot that something is kept for.
///
/// # Invariants
///
/// The slot at `offset` of `tree` is ours for `'a`, and `found` is what it holds.
pub struct Occupied<'a, T: Kept> {
    tree: &'a XArray<T::Owned>,
    offset: usize,
    found: Unguarded<'a, T::Owned>,
    // A folio's lock is its task's.
    _not_send: NotThreadSafe,
}

impl<T: Kept> Occupied<'_, T> {
    /// Looks at it, for no longer than until it is taken.
    #[inline]
    pub fn get(&self) -> Borrowed<'_, T> {
        // SAFETY: By the type invariant the element is there, and the slot ours; taking it consumes
        // `self`.
        unsafe { self.found.borrow() }
    }

    /// Takes it out of its slot. Mirrors `xa_erase()` in C's `zswap_load()`.
    #[inline]
    pub(super) fn take(self) -> T::Owned {
        // SAFETY: By the type invariant the slot is ours and holds an element: `erase` returns it.
        unsafe { self.tree.erase(self.offset).unwrap_unchecked() }
    }
}

/// Evidence that a slot is being freed: its cluster is locked, and its swap-table entry is NULL
/// already, so that there is no folio in the swap cache for it, and none can come.
///
/// For that one slot; the lock alone says nothing about the cluster's other slots.
///
/// # Invariants
///
/// For `'a` nobody else has evidence for the slot, or can get any: its swap-table entry is NULL, as
/// above, or its folio's lock is the maker's, who lends none. The slot is at `offset` of `tree`, which
/// stays.
pub struct FreedSlot<'a, T: Kept> {
    tree: &'a XArray<T::Owned>,
    offset: usize,
    // A spin lock is its task's.
    _not_send: NotThreadSafe,
}

impl<T: Kept> FreedSlot<'_, T> {
    /// Lends `f` the evidence that the slot `entry` is being freed.
    ///
    /// # Safety
    ///
    /// Until `f` returns, the caller must hold the lock of the cluster of `entry`, with the slot's
    /// swap-table entry NULL, on a device that has not been swapped off, and leave the slot to `f`.
    /// (A caller who holds the lock of the slot's folio, in the swap cache, and has no evidence in
    /// use for it excludes the same, and may use this as well.)
    ///
    /// [`DeadDevice::attach_raw`] must have succeeded for the device and `T`, with as many slots as it
    /// has: there is no check, as this is for every slot that is freed.
    #[inline]
    pub unsafe fn with_raw<R>(
        entry: bindings::swp_entry_t,
        f: impl for<'a> FnOnce(FreedSlot<'a, T>) -> R,
    ) -> R {
        // SAFETY: By the requirement there is such a device.
        let entry = unsafe { SwapEntry::from_raw(entry) };
        // SAFETY: By the invariant of `SwapEntry` the number is below `MAX_SWAPFILES`.
        let trees = unsafe { T::trees().trees.get_unchecked(entry.device()) };
        // Acquire as in `SlotTrees::tree`.
        let trees = trees.load(Acquire);
        // INVARIANT: By the requirement.
        f(FreedSlot {
            // SAFETY: By the requirement and the invariant of `SlotTrees` there are trees for all of
            // the device's slots, until after `f`.
            tree: unsafe { &*trees.add(entry.offset() / SLOTS_PER_TREE) },
            offset: entry.offset(),
            _not_send: NotThreadSafe,
        })
    }

    /// Takes what is kept for the slot. The cluster is locked: it is dropped without sleeping.
    ///
    /// Costs no lock if there is nothing in the whole tree: no store for this slot can be under way,
    /// as that takes a folio in the swap cache for the slot, and the cluster's lock orders this after
    /// the last one. (To look for the slot itself first, without the lock, would cost those that have
    /// something a second walk: an eighth of all that freeing a stored page takes.)
    #[inline]
    pub fn take(self) -> Option<T::Owned> {
        if self.tree.is_empty() {
            return None;
        }
        let kept = self.tree.erase(self.offset);
        crate::race_point!(atomic "invalidate:after_erase");
        kept
    }
}

/// Evidence that a swap device is out of use, and that its number is nobody else's: either swapon
/// hasn't published the device yet, or swapoff has freed all its slots, and has waited for everybody
/// who could have had a reference to it.
///
/// # Invariants
///
/// `device` is such a device for `'a`, is below `MAX_SWAPFILES`, and there is one such evidence
/// for it at a time. If it isn't 0, `nr_slots` is as many as the device will have.
pub struct DeadDevice<'a> {
    device: usize,
    /// The slots that it has; none if it is on its way out.
    nr_slots: usize,
    _out_of_use: PhantomData<fn(&'a mut ()) -> &'a mut ()>,
}

impl DeadDevice<'_> {
    /// Lends `f` the evidence that `device` is out of use. Fails with `EINVAL` if there is no such
    /// number.
    ///
    /// # Safety
    ///
    /// Until `f` returns, `device` must be out of use, as described at the type, and nobody else may
    /// have evidence for it. (The task that has set `SWP_USED` of its `swap_info_struct`, and not
    /// cleared it yet, has the number to itself.)
    pub unsafe fn with_raw<R>(
        device: c_int,
        f: impl for<'a> FnOnce(DeadDevice<'a>) -> Result<R>,
    ) -> Result<R> {
        let device = usize::try_from(device).map_err(|_| EINVAL)?;
        if device >= MAX_DEVICES {
            return Err(EINVAL);
        }
        // INVARIANT: By the requirement, and just checked.
        f(DeadDevice {
            device,
            nr_slots: 0,
            _out_of_use: PhantomData,
        })
    }

    /// Lends `f` the evidence for a device that is to be put into use with `nr_slots` slots. If this
    /// succeeds, trees of `T` are there for all of them: `f` has shown that it has attached them.
    ///
    /// # Safety
    ///
    /// As for [`DeadDevice::with_raw`].
    pub unsafe fn attach_raw<T: Kept>(
        device: c_int,
        nr_slots: usize,
        f: impl for<'a> FnOnce(DeadDevice<'a>) -> Result<Attached<'a, T>>,
    ) -> Result {
        let f = |device: DeadDevice<'_>| f(DeadDevice { nr_slots, ..device }).map(drop);
        // SAFETY: By the requirement.
        unsafe { Self::with_raw(device, f) }
    }
}

/// Says that the device whose [`DeadDevice`] had the lifetime `'a` has trees of `T` for all its slots.
pub struct Attached<'a, T>(PhantomData<DeadDevice<'a>>, PhantomData<fn(T) -> T>);

impl<'a> DeadDevice<'a> {
    /// Makes trees of `T` for the slots of the device. May sleep. Fails with `ENOMEM`; with `EINVAL`
    /// for a device that isn't to be put into use.
    ///
    /// Mirrors `zswap_swapon()`.
    pub fn attach<T: Kept>(mut self, key: Pin<&'static LockClassKey>) -> Result<Attached<'a, T>> {
        if self.nr_slots == 0 {
            return Err(EINVAL);
        }
        let nr = self.nr_slots.div_ceil(SLOTS_PER_TREE);
        let layout = core::alloc::Layout::array::<XArray<T::Owned>>(nr).map_err(|_| ENOMEM)?;
        self.detach::<T>();
        let trees = KVmalloc::alloc(layout, GFP_KERNEL, NumaNode::NO_NODE)
            .map_err(|_| ENOMEM)?
            .cast::<XArray<T::Owned>>()
            .as_ptr();
        for i in 0..nr {
            // SAFETY: The allocation has room for `nr` trees, nobody else knows it yet, and it
            // doesn't move.
            unsafe { pin_init::raw_init(trees.add(i), XArray::new_plain(T::trees().name, key)) };
        }
        // INVARIANT: `nr` initialised trees, with the evidence for the device. Release publishes
        // them together with their number.
        let (its_trees, its_nr) = T::trees().device(&self);
        its_nr.store(nr, Relaxed);
        its_trees.store(trees, Release);
        Ok(Attached(PhantomData, PhantomData))
    }

    /// Drops the trees of `T` that the device has, and what is left in them, if there are any. May
    /// sleep.
    ///
    /// Says whether the trees were empty, as they should have been. Mirrors `zswap_swapoff()`.
    pub fn detach<T: Kept>(&mut self) -> bool {
        let (its_trees, its_nr) = T::trees().device(self);
        let trees = its_trees.load(Relaxed);
        let nr = its_nr.load(Relaxed);
        let Some(ptr) = NonNull::new(trees) else {
            return true;
        };
        // INVARIANT: No trees, with the evidence for the device.
        its_trees.store(core::ptr::null_mut(), Relaxed);
        its_nr.store(0, Relaxed);

        let mut empty = true;
        for i in 0..nr {
            // SAFETY: By the invariant of `SlotTrees` these are `nr` trees. Nobody else uses them, by
            // the evidence, or will, since they are no longer reachable.
            unsafe {
                empty &= (*trees.add(i)).is_empty();
                core::ptr::drop_in_place(trees.add(i));
            }
        }
        // SAFETY: Allocated by `attach` with that number of trees, and unreachable now.
        unsafe {
            KVmalloc::free(
                ptr.cast(),
                core::alloc::Layout::array::<XArray<T::Owned>>(nr).unwrap_unchecked(),
            )
        };
        empty
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_swap_slots)]
mod tests {
    use super::*;

    #[test]
    fn devices_out_of_range_are_refused() {
        for (device, ok) in [
            (-1, false),
            (MAX_DEVICES as c_int, false),
            (MAX_DEVICES as c_int - 1, true),
        ] {
            // SAFETY: Nothing is done with it.
            let device = unsafe { DeadDevice::with_raw(device, |_| Ok(())) };
            assert_eq!(device.is_ok(), ok);
        }
    }

    struct Number(#[allow(dead_code)] u32);

    crate::impl_kept! {
        impl Kept for Number { owned: KBox<Number>, name: c"rust_swap_slots_test" }
    }

    #[test]
    fn trees_come_and_go() -> Result {
        let key = crate::static_lock_class!();
        let attach = |nr| {
            // SAFETY: These trees are nobody else's: no device's.
            unsafe { DeadDevice::attach_raw::<Number>(2, nr, |device| device.attach(key)) }
        };
        let detach = || {
            // SAFETY: As above.
            unsafe { DeadDevice::with_raw(2, |mut device| Ok(device.detach::<Number>())) }
        };
        // SAFETY: Arithmetic on the values.
        let entry = |offset| unsafe { bindings::swp_entry(2, offset) };
        // SAFETY: The number is one of a device; its trees go below, after the last use.
        let tree = |offset| unsafe { Number::trees().tree(SwapEntry::from_raw(entry(offset))) };

        assert!(tree(0).is_none());
        assert_eq!(attach(0).err(), Some(EINVAL));
        attach(SLOTS_PER_TREE + 1)?;
        assert!(tree(0).is_some() && tree(SLOTS_PER_TREE).is_some());
        assert!(tree(2 * SLOTS_PER_TREE).is_none());
        assert!(detach()?);
        assert!(detach()?);
        assert!(tree(0).is_none());

        // What was left in a tree is dropped with it, and it is said.
        attach(10)?;
        let keep = |offset| -> Result {
            tree(offset).ok_or(EINVAL)?.store(
                offset,
                KBox::new(Number(7), GFP_KERNEL)?,
                GFP_KERNEL,
            )?;
            Ok(())
        };
        let kept = |offset| tree(offset).is_some_and(|tree| tree.load(offset).is_some());
        let clear = |offset| {
            // SAFETY: Attached, with more slots, which are nobody else's.
            unsafe { FreedSlot::<Number>::with_raw(entry(offset), |slot| drop(slot.take())) }
        };
        clear(7);
        keep(6)?;
        keep(7)?;
        clear(7);
        clear(7);
        assert!(kept(6) && !kept(7));
        assert!(!detach()?);
        Ok(())
    }
}
