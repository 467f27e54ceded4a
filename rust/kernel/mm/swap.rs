// SPDX-License-Identifier: GPL-2.0

//! Swap slots, and who may touch what is kept for them.
//!
//! *The swap cache is the synchroniser*: what a subsystem keeps for a swap slot, in [`SlotTrees`],
//! may be touched only by whoever holds the lock of the folio that sits in the swap cache for that
//! slot. There are three evidences, and no other way in; for code that has none, [`SwapDevice`] is
//! the way to win one.
//!
//! | evidence          | what C has at that point                                     | opens           |
//! |-------------------|--------------------------------------------------------------|-----------------|
//! | [`CachedFolio`]   | the folio's lock, and it is in the swap cache                | its slots       |
//! | [`FreedSlot`]     | the cluster's lock, and the slot's swap table word is NULL   | that slot       |
//! | [`DeadDevice`]    | swapoff has waited for all users, or swapon isn't done yet   | a device's trees|
//!
//! They exclude each other: a folio in the swap cache keeps its slots from being freed and its
//! device from dying, and a slot whose word is NULL has no folio.
//!
//! C headers: [`include/linux/swap.h`](srctree/include/linux/swap.h),
//! [`include/linux/swapops.h`](srctree/include/linux/swapops.h)

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
            EEXIST,
            EINVAL,
            ENOMEM, //
        },
        from_err_ptr,
        Error,
        Result, //
    },
    ffi::c_int,
    mm::folio::{
        CachedFolio,
        Contents,
        Filled,
        Folio,
        FolioPage, //
    },
    prelude::*,
    str::CStr,
    sync::{
        aref::ARef,
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
        NotThreadSafe,
        Opaque, //
    },
    xarray::{
        StoreError,
        Unguarded,
        XArray, //
    },
};
use core::{
    marker::PhantomData,
    mem::ManuallyDrop,
    pin::Pin,
    ptr::NonNull, //
};

/// The name of a swap slot: device and offset. Mirrors `swp_entry_t`.
///
/// A name and nothing more: the slot may be free or used again.
///
/// # Invariants
///
/// It is, or was, a slot for data: it had a folio in the swap cache, or is being freed. (So it is
/// none of a device's bad slots, nor that of its header.)
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct SwapEntry(bindings::swp_entry_t);

impl SwapEntry {
    /// # Safety
    ///
    /// `raw` must be as the type's invariant says.
    #[inline]
    pub unsafe fn from_raw(raw: bindings::swp_entry_t) -> Self {
        // INVARIANT: By the requirement.
        Self(raw)
    }

    #[inline]
    pub(super) fn as_raw(self) -> bindings::swp_entry_t {
        self.0
    }

    /// The number of the device that the slot is on. Mirrors `swp_type()`.
    #[inline]
    pub fn device(self) -> usize {
        // SAFETY: Arithmetic on the value.
        (unsafe { bindings::swp_type(self.0) }) as usize
    }

    /// The number of the slot on its device, in pages. Mirrors `swp_offset()`.
    #[inline]
    pub fn offset(self) -> usize {
        // SAFETY: Arithmetic on the value.
        unsafe { bindings::swp_offset(self.0) }
    }

    /// The slot that comes `n` after this one: the offset is in the low bits.
    #[inline]
    fn after(self, n: usize) -> Self {
        // INVARIANT: Callers ask for slots of one folio.
        Self(bindings::swp_entry_t {
            val: self.0.val.wrapping_add(n),
        })
    }
}

impl PartialEq for SwapEntry {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0.val == other.0.val
    }
}

impl Eq for SwapEntry {}

impl<'f> CachedFolio<'f> {
    /// The slot of the folio's first page; those of the others follow it. Mirrors `folio->swap`.
    #[inline]
    pub fn swap(&self) -> SwapEntry {
        // SAFETY: The folio is alive, and in the swap cache, which is when the field means this.
        // INVARIANT: The folio's first slot.
        SwapEntry(unsafe { bindings::folio_swap(self.as_raw()) })
    }

    /// What `trees` has for the folio's slots.
    ///
    /// Finds the tree by the folio's own slot: there is no way to name another one.
    #[inline]
    pub fn slots<'a, T: ForeignOwnable>(&'a mut self, trees: &'a SlotTrees<T>) -> Slots<'a, 'f, T> {
        let first = self.swap();
        Slots {
            // INVARIANT: A folio's slots are aligned to their number, which is at most that of a
            // cluster and divides `SLOTS_PER_TREE`: all are in one tree. By the invariant of
            // `CachedFolio` the slots are ours, and the device is alive, which its trees outlive.
            //
            // SAFETY: The device is alive for as long as `self` is borrowed.
            tree: unsafe { trees.tree(first) },
            first,
            nr: self.nr_pages(),
            folio: self,
        }
    }
}

/// As in C, where bindgen takes it for a negative number.
const NO_INTERLEAVE_INDEX: usize = usize::MAX;

/// A swap device that is kept from being swapped off by a reference, through one of its slots.
///
/// The slot is within the device; it may be free.
///
/// # Invariants
///
/// `si` is the device of `entry`, with a reference that is ours; `entry` lies within it.
pub struct SwapDevice {
    si: NonNull<bindings::swap_info_struct>,
    entry: SwapEntry,
}

impl SwapDevice {
    /// Gets a reference to the device of `entry`, unless it is being swapped off or there is no
    /// such slot.
    ///
    /// Mirrors `get_swap_device()`.
    #[inline]
    pub fn get(entry: SwapEntry) -> Option<Self> {
        // SAFETY: C checks the entry.
        let si = NonNull::new(unsafe { bindings::get_swap_device(entry.0) })?;
        // INVARIANT: C has got the reference, and checked that the entry lies within the device.
        Some(Self { si, entry })
    }

    /// The slot that the device was got through.
    #[inline]
    pub(super) fn entry(&self) -> SwapEntry {
        self.entry
    }

    /// Tries to put a new folio of one page into the swap cache for the slot. May sleep, but never
    /// waits for a folio's lock.
    ///
    /// Mirrors `swap_cache_alloc_folio()` as zswap's writeback calls it.
    #[inline]
    pub fn add_folio(&self, gfp: Flags) -> Added {
        // SAFETY: The device is kept by our reference; the slot is one for data, by the invariant of
        // `SwapEntry`, and C finds out whether it is free. The policy is the current task's, which
        // isn't changed meanwhile but by the task. One order, that of a single page.
        let folio = unsafe {
            bindings::swap_cache_alloc_folio(
                self.entry.0,
                gfp.as_raw(),
                1,
                core::ptr::null_mut(),
                bindings::current_task_policy(),
                NO_INTERLEAVE_INDEX,
            )
        };
        match from_err_ptr(folio) {
            // SAFETY: C returns a new folio, locked by us, in the swap cache for the slot, not
            // uptodate, with a reference that is ours.
            Ok(folio) => Added::New(unsafe { NewFolio::from_raw(folio) }),
            Err(EEXIST) => Added::Present,
            Err(error) => Added::Failed(error),
        }
    }
}

impl Drop for SwapDevice {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is ours.
        unsafe { bindings::put_swap_device(self.si.as_ptr()) }
    }
}

/// What came of trying to add a folio to the swap cache.
#[must_use = "a folio that was added is deleted from the swap cache at once if unused"]
pub enum Added {
    /// It is there.
    New(NewFolio),
    /// There is another: somebody is using the page.
    Present,
    /// There is no memory, or the slot is free.
    Failed(Error),
}

/// A folio that was just added to the swap cache, and is to be filled: locked by us, not uptodate,
/// with its content and its slots' data nobody else's.
///
/// Dropping it undoes that: others find a slot that has no folio, not a folio that can't be read.
///
/// # Invariants
///
/// `.0` is the only evidence of a lock which is ours to release, for a folio with a reference that
/// is ours to put; the folio is not uptodate, and nobody else accesses its content.
#[must_use = "the folio is deleted from the swap cache at once if unused"]
pub struct NewFolio(CachedFolio<'static>);

impl NewFolio {
    /// # Safety
    ///
    /// `ptr` must be a folio as the type's invariants say, whose lock and reference are handed over.
    #[inline]
    pub(super) unsafe fn from_raw(ptr: *mut bindings::folio) -> Self {
        // SAFETY: By the requirement, for as long as this is used.
        // INVARIANT: By the requirement.
        Self(unsafe { CachedFolio::from_raw(ptr) })
    }

    /// Hands the folio to a C caller as it is, with its lock and its reference.
    #[inline]
    pub fn into_c_locked(self) -> *mut bindings::folio {
        ManuallyDrop::new(self).0.as_raw()
    }

    /// Has the folio read, from zswap or from the device. May sleep. Returns the reference; the
    /// folio is unlocked when it has its content, or that couldn't be had, which may be later.
    ///
    /// Mirrors `swap_read_folio()`.
    #[inline]
    pub fn read(self, reads: &mut Reads) -> ARef<Folio> {
        let folio = self.into_c_locked();
        // SAFETY: By the type invariant the folio is locked by us, in the swap cache and not
        // uptodate, which is what C wants, and the reference ours. The lock goes to C.
        unsafe {
            bindings::swap_read_folio(reads.0.get(), folio);
            ARef::from_raw(NonNull::new_unchecked(folio).cast())
        }
    }

    /// Whether the slot is marked as that of a page of zeroes.
    ///
    /// Such a page was swapped out without anybody being told: what is kept for the slot is older.
    #[inline]
    pub fn is_marked_zero(&self) -> bool {
        // SAFETY: The folio is alive, locked and in the swap cache, which keeps the cluster from
        // being freed and the mark from changing.
        unsafe { bindings::folio_swap_is_zero(self.0.as_raw()) }
    }

    /// Lends the evidence that the folio's slots are ours.
    #[inline]
    pub fn with_cached<R>(&mut self, f: impl for<'f> FnOnce(&'f mut CachedFolio<'f>) -> R) -> R {
        // SAFETY: The content is nobody else's, by the type invariant; we don't touch it.
        f(&mut unsafe { self.0.split() }.0)
    }

    /// Writes the folio to the device: lets `f` fill it, and take the data's other copy out of its
    /// place. May sleep.
    ///
    /// If `f` does both, marks the folio uptodate and submits it; it is unlocked when the I/O has
    /// started, and will be at the tail of the inactive list when that is over. If `f` fails, the
    /// folio goes as when dropped. Mirrors the end of C's `zswap_writeback_entry()`.
    #[inline]
    pub fn write_exclusively<T, E, F>(mut self, f: F) -> Result<(), E>
    where
        F: for<'f> FnOnce(
            &'f mut CachedFolio<'f>,
            Option<Contents<'f>>,
        ) -> Result<(Filled<'f>, Taken<'f, T>), E>,
    {
        // SAFETY: The content is nobody else's, by the type invariant.
        let (mut cached, contents) = unsafe { self.0.split() };
        let (_filled, taken) = f(&mut cached, contents)?;
        drop(taken);

        let folio = ManuallyDrop::new(self).0.as_raw();
        let mut ctx = NO_IO;
        // SAFETY: By the type invariant the folio is alive, locked and in the swap cache; it was
        // filled, as `Filled` says. The lock goes to `__swap_writepage()`; the reference is put
        // after the last use.
        unsafe {
            bindings::folio_mark_uptodate(folio);
            bindings::folio_set_reclaim(folio);
            bindings::__swap_writepage(&mut ctx, folio);
            bindings::swap_write_submit(&mut ctx);
            bindings::folio_put(folio);
        }
        Ok(())
    }
}

/// No I/O yet.
const NO_IO: bindings::swap_io_ctx = bindings::swap_io_ctx {
    sio: core::ptr::null_mut(),
    sis: core::ptr::null_mut(),
};

/// Reads that are begun one after the other, and submitted together. Mirrors `struct swap_io_ctx`.
///
/// # Invariants
///
/// Initialised. What was read with it and isn't submitted yet will be, by whoever made it.
#[repr(transparent)]
pub struct Reads(Opaque<bindings::swap_io_ctx>);

impl Reads {
    /// Calls `f` with a new one, and submits what it has read. May sleep.
    ///
    /// Mirrors `swap_read_submit()`.
    #[inline]
    pub fn together<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        // INVARIANT: C begins with zeroes; submitted below.
        let mut reads = Self(Opaque::new(NO_IO));
        let ret = f(&mut reads);
        // SAFETY: By the type invariant it is initialised.
        unsafe { bindings::swap_read_submit(reads.0.get()) };
        ret
    }

    /// # Safety
    ///
    /// `ptr` must be initialised, the caller's alone during `'a`, and submitted by him later.
    #[inline]
    pub unsafe fn from_raw<'a>(ptr: *mut bindings::swap_io_ctx) -> &'a mut Self {
        // SAFETY: By the requirement; `Self` is transparent.
        unsafe { &mut *ptr.cast() }
    }
}

impl Drop for NewFolio {
    #[inline]
    fn drop(&mut self) {
        let folio = self.0.as_raw();
        // SAFETY: By the type invariant the folio is alive, locked by us and in the swap cache. No
        // `Slots` of it is in use, since those borrow `self`: whoever keeps data for the slot may be
        // told here to forget it, if the slot has no other user any more.
        unsafe {
            bindings::swap_cache_del_folio(folio);
            bindings::folio_unlock(folio);
            bindings::folio_put(folio);
        }
    }
}

/// Evidence that a slot is being freed: its cluster is locked, and its word in the swap table is
/// NULL already, so that there is no folio in the swap cache for it, and none can come.
///
/// For that one slot; the lock alone says nothing about the cluster's other slots.
///
/// # Invariants
///
/// For `'a` nobody else has evidence for the slot, or can get any: its word is NULL, as above, or its
/// folio's lock is the maker's, who lends none. The slot is at `offset` of `tree`, which stays.
pub struct FreedSlot<'a, T: ForeignOwnable> {
    tree: &'a XArray<T>,
    offset: usize,
    // A spin lock is its task's.
    _not_send: NotThreadSafe,
}

impl<T: ForeignOwnable> FreedSlot<'_, T> {
    /// Drops what is kept for the slot. The cluster is locked: no sleeping.
    ///
    /// Costs no lock if there is nothing in the whole tree: no store for this slot can be under way,
    /// as that takes a folio in the swap cache for the slot, and the cluster's lock orders this after
    /// the last one. (To look for the slot itself first, without the lock, would cost those that have
    /// something a second walk: an eighth of all that freeing a stored page takes.)
    #[inline]
    pub fn clear(self) {
        if !self.tree.is_empty() {
            let kept = self.tree.erase(self.offset);
            crate::race_point!(atomic "invalidate:taken");
            drop(kept);
        }
    }
}

/// Evidence that a swap device is out of use, and that its number is nobody else's: either swapon
/// hasn't published the device yet, or swapoff has freed all its slots, and has waited for everybody
/// who could have had a reference to it.
///
/// # Invariants
///
/// `device` is such a device for `'a`, is below `MAX_SWAPFILES`, and there is one such evidence
/// for it at a time.
pub struct DeadDevice<'a> {
    device: usize,
    _out_of_use: PhantomData<&'a mut ()>,
}

impl DeadDevice<'_> {
    /// # Safety
    ///
    /// `device` must be out of use for `'a`, as described at the type. (Who has set `SWP_USED` of
    /// its `swap_info_struct`, and not cleared it yet, has the number to himself.)
    pub unsafe fn from_raw(device: c_int) -> Result<Self> {
        let device = usize::try_from(device).map_err(|_| EINVAL)?;
        if device >= MAX_DEVICES {
            return Err(EINVAL);
        }
        // INVARIANT: By the requirement, and just checked.
        Ok(Self {
            device,
            _out_of_use: PhantomData,
        })
    }
}

const MAX_DEVICES: usize = bindings::MAX_SWAPFILES as usize;

/// Slots in one tree: 64 MiB of swap space with pages of 4 KiB.
///
/// Mirrors `ZSWAP_ADDRESS_SPACE_PAGES`: small enough that one tree's lock isn't fought over.
const SLOTS_PER_TREE: usize = 1 << 14;

const _: () = assert!(SLOTS_PER_TREE % bindings::SWAPFILE_CLUSTER_SLOTS == 0);

/// What a subsystem keeps for swap slots, an owned `T` each: for each device an array of trees,
/// from when swapon has attached it to when swapoff detaches it.
///
/// To be a `static`. All access goes through one of the evidences of [the module](self).
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
///     swap::{DeadDevice, FreedSlot, SlotTrees},
/// };
///
/// static NOTES: SlotTrees<KBox<u32>> = SlotTrees::new(c"notes");
///
/// fn swapon(device: &mut DeadDevice<'_>, slots: usize) -> Result {
///     NOTES.attach(device, slots, kernel::static_lock_class!())
/// }
///
/// // A note for each page of a folio that goes out.
/// fn note(folio: &mut CachedFolio<'_>, note: u32) -> Result {
///     let mut slots = folio.slots(&NOTES);
///     for index in 0..slots.len() {
///         slots.replace(index, KBox::new(note, GFP_KERNEL)?, GFP_KERNEL)?;
///     }
///     Ok(())
/// }
///
/// fn first_note(folio: &mut CachedFolio<'_>) -> Option<u32> {
///     folio.slots(&NOTES).occupied(0).map(|slot| *slot.get())
/// }
///
/// fn forget(slot: FreedSlot<'_, KBox<u32>>) {
///     slot.clear();
/// }
/// ```
pub struct SlotTrees<T: ForeignOwnable> {
    // Apart from their number, so that the address of each takes no arithmetic.
    trees: [Atomic<*mut XArray<T>>; MAX_DEVICES],
    nr: [Atomic<usize>; MAX_DEVICES],
    name: &'static CStr,
    _p: PhantomData<XArray<T>>,
}

// SAFETY: It is a collection of `XArray<T>`, which has the same bounds; `T: Sync` is for the
// elements that `Occupied` borrows without a lock.
unsafe impl<T: ForeignOwnable + Send + Sync> Sync for SlotTrees<T> {}

impl<T: ForeignOwnable> SlotTrees<T> {
    /// No trees; lockdep will show the lock of each as `name`.
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
    unsafe fn tree<'a>(&'a self, entry: SwapEntry) -> Option<&'a XArray<T>> {
        let device = entry.device();
        // SAFETY: By the invariant of `SwapEntry` its device is one that there is, or was.
        let (trees, nr) = unsafe {
            (
                self.trees.get_unchecked(device),
                self.nr.get_unchecked(device),
            )
        };
        let index = entry.offset() / SLOTS_PER_TREE;
        // Acquire pairs with the release in `attach`: who sees the pointer sees what it points to,
        // and the number.
        let trees = trees.load(Acquire);
        if trees.is_null() || index >= nr.load(Relaxed) {
            return None;
        }
        // SAFETY: By the type invariant there is an initialised tree at `index`. It goes away with
        // a `DeadDevice` only, which the caller excludes.
        Some(unsafe { &*trees.add(index) })
    }

    /// Where a device's trees are, and their number.
    fn device(&self, device: &DeadDevice<'_>) -> (&Atomic<*mut XArray<T>>, &Atomic<usize>) {
        let device = device.device;
        // SAFETY: By the invariant of `DeadDevice` the index is below `MAX_DEVICES`.
        unsafe {
            (
                self.trees.get_unchecked(device),
                self.nr.get_unchecked(device),
            )
        }
    }

    /// Evidence that `entry` is being freed.
    ///
    /// # Safety
    ///
    /// For as long as it is used, the caller must hold the lock of the cluster of `entry`, with the
    /// slot's word in the swap table NULL, on a device that has not been swapped off, and leave the
    /// slot to us. (A caller who has the lock of the slot's folio, in the swap cache, and no evidence
    /// in use for it, can exclude the same, and may use this as well.)
    ///
    /// [`SlotTrees::attach`] must have succeeded for the device, with as many slots as it has: there is
    /// no check, as this is for every slot that is freed.
    #[inline]
    pub unsafe fn freed_slot(&self, entry: bindings::swp_entry_t) -> FreedSlot<'_, T> {
        // INVARIANT: It is being freed, by the requirement.
        let entry = SwapEntry(entry);
        // SAFETY: By the requirement there is such a device.
        let trees = unsafe { self.trees.get_unchecked(entry.device()) };
        let trees = trees.load(Acquire); // as in `tree`
                                         // INVARIANT: By the requirement.
        FreedSlot {
            // SAFETY: By the requirement and the type invariant there are trees for all of the device's
            // slots, until after this was used.
            tree: unsafe { &*trees.add(entry.offset() / SLOTS_PER_TREE) },
            offset: entry.offset(),
            _not_send: NotThreadSafe,
        }
    }

    /// Makes trees for the `nr_slots` slots of a device. May sleep. Fails with `ENOMEM`.
    pub fn attach(
        &self,
        device: &mut DeadDevice<'_>,
        nr_slots: usize,
        key: Pin<&'static LockClassKey>,
    ) -> Result {
        let nr = nr_slots.div_ceil(SLOTS_PER_TREE);
        let layout = core::alloc::Layout::array::<XArray<T>>(nr).map_err(|_| ENOMEM)?;
        self.detach(device);
        let trees = KVmalloc::alloc(layout, GFP_KERNEL, NumaNode::NO_NODE)
            .map_err(|_| ENOMEM)?
            .cast::<XArray<T>>()
            .as_ptr();
        for i in 0..nr {
            // SAFETY: The allocation has room for `nr` trees, nobody else knows it yet, and it
            // doesn't move.
            unsafe { pin_init::raw_init(trees.add(i), XArray::new_plain(self.name, key)) };
        }
        // INVARIANT: `nr` initialised trees, with the evidence for the device. Release publishes
        // them together with their number.
        let (its_trees, its_nr) = self.device(device);
        its_nr.store(nr, Relaxed);
        its_trees.store(trees, Release);
        Ok(())
    }

    /// Drops the trees of a device, and what is left in them, if there are any. May sleep.
    ///
    /// Says whether the trees were empty, as they should have been.
    pub fn detach(&self, device: &mut DeadDevice<'_>) -> bool {
        let (its_trees, its_nr) = self.device(device);
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
            // SAFETY: By the type invariant these are `nr` trees. Nobody else uses them, by the
            // evidence, or will, since they are no longer reachable.
            unsafe {
                empty &= (*trees.add(i)).is_empty();
                core::ptr::drop_in_place(trees.add(i));
            }
        }
        // SAFETY: Allocated by `attach` with that number of trees, and unreachable now.
        unsafe {
            KVmalloc::free(
                ptr.cast(),
                core::alloc::Layout::array::<XArray<T>>(nr).unwrap_unchecked(),
            )
        };
        empty
    }
}

/// What is kept for the slots of a [`CachedFolio`], while nobody else can touch it.
///
/// # Invariants
///
/// For `'a` the `nr` slots from `first` on, all in `tree`, are ours alone.
pub struct Slots<'a, 'f, T: ForeignOwnable> {
    tree: Option<&'a XArray<T>>,
    first: SwapEntry,
    nr: usize,
    folio: &'a CachedFolio<'f>,
}

impl<'a, 'f, T: ForeignOwnable> Slots<'a, 'f, T> {
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

    /// Slot `index` of the folio: its name, and the folio's page for it.
    #[inline]
    pub fn get(&self, index: usize) -> Option<(SwapEntry, FolioPage<'a>)> {
        if index >= self.nr {
            return None;
        }
        // INVARIANT: The folio is in the swap cache for it.
        let entry = self.first.after(index);
        // SAFETY: The folio has `nr` pages, as nobody else could split it.
        Some((entry, unsafe { self.folio.page_unchecked(index) }))
    }

    /// Where slot `index` is in the tree.
    #[inline]
    fn offset(&self, index: usize) -> usize {
        self.first.after(index).offset()
    }

    /// What is kept for slot `index` of the folio. The others can't be looked at meanwhile.
    #[inline]
    pub fn occupied(self, index: usize) -> Option<Occupied<'a, 'f, T>> {
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
            _folio: PhantomData,
        })
    }

    /// Keeps `value` for slot `index` of the folio. Returns it, borrowed, and what was kept before.
    ///
    /// May sleep if `gfp` may. On failure gives `value` back: with `EINVAL` if the folio has no
    /// such slot or the device no trees, else with `ENOMEM`.
    #[inline]
    pub fn replace(
        &mut self,
        index: usize,
        value: T,
        gfp: Flags,
    ) -> Result<(T::Borrowed<'_>, Option<T>), StoreError<T>> {
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

impl<'f, T: ForeignOwnable + 'f> Slots<'f, 'f, T> {
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

/// Says that every slot of the folio whose [`CachedFolio`] had the lifetime `'f` was emptied of what
/// was kept for it, and stays so.
pub struct Cleared<'f, T>(PhantomData<CachedFolio<'f>>, PhantomData<fn() -> T>);

/// A slot that something is kept for.
///
/// # Invariants
///
/// The slot at `offset` of `tree` is ours for `'a`, and `found` is what it holds.
pub struct Occupied<'a, 'f, T: ForeignOwnable> {
    tree: &'a XArray<T>,
    offset: usize,
    found: Unguarded<'a, T>,
    _folio: PhantomData<CachedFolio<'f>>,
}

impl<'a, 'f, T: ForeignOwnable + 'a> Occupied<'a, 'f, T> {
    /// Looks at it, for no longer than until it is taken.
    #[inline]
    pub fn get(&self) -> T::Borrowed<'_> {
        // SAFETY: By the type invariant the element is there, and the slot ours; taking it consumes
        // `self`.
        unsafe { self.found.borrow() }
    }
}

impl<'f, T: ForeignOwnable + 'f> Occupied<'f, 'f, T> {
    /// Takes it out of its slot.
    ///
    /// The folio's evidence must be borrowed for all its time: with it, something could be put into
    /// the slot again.
    #[inline]
    pub fn take(self) -> Taken<'f, T> {
        // SAFETY: By the type invariant the slot is ours and holds an element: `erase` returns it.
        let element = unsafe { self.tree.erase(self.offset).unwrap_unchecked() };
        Taken(element, PhantomData)
    }
}

/// What was kept for a slot of the folio whose [`CachedFolio`] had the lifetime `'f`, after it was
/// taken out: says that the slot is empty, and stays so.
#[must_use = "what was taken is dropped at once if unused"]
pub struct Taken<'f, T>(#[allow(dead_code)] T, PhantomData<CachedFolio<'f>>);

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_swap)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_device_and_an_offset() {
        for (device, offset) in [(0, 0), (1, 1), (3, 123_456), (MAX_DEVICES - 1, 1 << 30)] {
            // SAFETY: Arithmetic on the values.
            let entry = SwapEntry(unsafe { bindings::swp_entry(device, offset) });
            assert_eq!(entry.device(), device);
            assert_eq!(entry.offset(), offset);
            assert_eq!(entry.after(5).device(), device);
            assert_eq!(entry.after(5).offset(), offset + 5);
            assert!(entry == entry.after(0));
            assert!(entry != entry.after(1));
        }
    }

    #[test]
    fn devices_out_of_range_are_refused() {
        for (device, ok) in [
            (-1, false),
            (MAX_DEVICES as c_int, false),
            (MAX_DEVICES as c_int - 1, true),
        ] {
            // SAFETY: Nothing is done with it.
            let device = unsafe { DeadDevice::from_raw(device) };
            assert_eq!(device.is_ok(), ok);
        }
    }

    #[test]
    fn trees_come_and_go() -> Result {
        static TREES: SlotTrees<KBox<u32>> = SlotTrees::new(c"rust_swap_test");
        // SAFETY: These trees are nobody else's: no device's.
        let mut device = unsafe { DeadDevice::from_raw(2) }?;
        // SAFETY: Arithmetic on the values.
        let entry = |offset| unsafe { bindings::swp_entry(2, offset) };
        // SAFETY: As above.
        let tree = |offset| unsafe { TREES.tree(SwapEntry(entry(offset))) };

        assert!(tree(0).is_none());
        TREES.attach(&mut device, SLOTS_PER_TREE + 1, crate::static_lock_class!())?;
        assert!(tree(0).is_some() && tree(SLOTS_PER_TREE).is_some());
        assert!(tree(2 * SLOTS_PER_TREE).is_none());
        assert!(TREES.detach(&mut device));
        assert!(TREES.detach(&mut device));
        assert!(tree(0).is_none());

        // What was left in a tree is dropped with it, and it is said.
        TREES.attach(&mut device, 10, crate::static_lock_class!())?;
        let keep = |offset| -> Result {
            tree(offset)
                .ok_or(EINVAL)?
                .store(offset, KBox::new(7, GFP_KERNEL)?, GFP_KERNEL)?;
            Ok(())
        };
        let kept = |offset| tree(offset).is_some_and(|tree| tree.load(offset).is_some());
        // SAFETY: As above; attached, with more slots.
        let clear = |offset| unsafe { TREES.freed_slot(entry(offset)) }.clear();
        clear(7);
        keep(6)?;
        keep(7)?;
        clear(7);
        clear(7);
        assert!(kept(6) && !kept(7));
        assert!(!TREES.detach(&mut device));
        Ok(())
    }
}
