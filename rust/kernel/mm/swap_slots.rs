// SPDX-License-Identifier: GPL-2.0

//! What subsystems keep for swap slots, and the witnesses that open a slot.
//!
//! *The swap cache is the synchroniser*: the lock of the folio that a slot has in the swap cache
//! serialises access to what is kept for the slot. Access requires a witness (a proof token); there
//! is no other way in:
//!
//! | witness            | what C has at that point                                      | opens                |
//! |--------------------|---------------------------------------------------------------|----------------------|
//! | [`CachedFolio`]    | the folio's lock, and it is in the swap cache                 | its slots: [`Slots`] |
//! | [`UnreadFolio`]    | the same, and the folio has not been read                     | its slot, read only  |
//! | [`WritebackFolio`] | the same, and the slot has no zero mark                       | its slot, read only  |
//! | [`FreedSlots`]     | the cluster's lock, and the slots' swap-table entries are NULL | those slots         |
//! | [`DeadDevice`]     | swapoff has waited for all users, or swapon isn't done yet    | a device's trees     |
//!
//! They exclude each other: a folio in the swap cache keeps its slots from being freed and its
//! device from dying, and a slot whose swap-table entry is NULL has no folio.
//!
//! They don't say which bytes are kept: any, for any page of the folio. That is the policy's.
//!
//! # The index
//!
//! A tree maps a run of [`SLOTS_PER_LEAF`] slots to a [`Leaf`], which has a pointer for each. A witness
//! makes its slots exclusive, so that reading and writing their pointers takes no lock and no atomic
//! read-modify-write. Only the life of a leaf is shared between the owners of different slots in it:
//!
//! - `live` counts the slots of a leaf that hold something, and those that are about to.
//! - A task that is about to fill slots adds them to `live` first, unless it is 0 ([`Share::of`]); else
//!   it inserts a leaf of its own.
//! - A task that has emptied slots takes them off ([`Share::drop`]). The last ones are taken off under
//!   the tree's lock, and the leaf leaves the tree in the same critical section, as with
//!   `atomic_dec_and_lock()`. It is freed after an RCU grace period.
//!
//! So a leaf with a filled slot stays, and the owner of a slot that has found nothing in a leaf which is
//! leaving has found the truth: nobody else could have filled the slot.
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
    ffi::{
        c_int,
        c_void, //
    },
    mm::{
        folio::{
            CachedFolio,
            FolioPage, //
        },
        swapops::SwapEntry,
    },
    prelude::*,
    slab,
    str::CStr,
    sync::{
        atomic::{
            ordering::{
                Acquire,
                Full,
                Relaxed,
                Release, //
            },
            Atomic,
        },
        rcu, LockClassKey,
    },
    types::{
        ForeignOwnable,
        NotThreadSafe,
        Opaque, //
    },
    xarray::{
        StoreError,
        XArray, //
    },
};
use core::{
    marker::PhantomData,
    ops::Range,
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

        // SAFETY: It is one `static`. Its type says whose trees it has, so that an implementation for another
        // type can't return it; that `$name` could name it, as items of macros aren't hygienic, does no harm.
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

/// Slots in one leaf: as many as an XArray node has, so that a leaf takes a node's memory.
const SLOTS_PER_LEAF: usize = 64;

/// Slots in one tree: with pages of 4 KiB, 16 MiB of swap space. Its leaves fit into one XArray node.
///
/// C's `ZSWAP_ADDRESS_SPACE_PAGES` is four times as large, for trees that are one node deeper.
const SLOTS_PER_TREE: usize = {
    let one_node = SLOTS_PER_LEAF * 64;
    if one_node > bindings::SWAPFILE_CLUSTER_SLOTS {
        one_node
    } else {
        bindings::SWAPFILE_CLUSTER_SLOTS
    }
};

const _: () = assert!(SLOTS_PER_TREE % bindings::SWAPFILE_CLUSTER_SLOTS == 0);
const _: () = assert!(SLOTS_PER_TREE % SLOTS_PER_LEAF == 0);

/// What is kept for a run of slots.
///
/// # Invariants
///
/// - In a tree, `live` is above 0, but within the critical section of the tree's lock in which the leaf
///   is removed.
/// - `live` is the number of pointers in `slots` that aren't null, and of what [`Share`]s have.
/// - A pointer of `slots` is accessed only with a witness for its slot, or when the leaf is dropped. It
///   is null, or from `into_foreign` and owns the value.
#[repr(C)]
struct Leaf<T: Kept> {
    live: Atomic<usize>,
    rcu: Opaque<bindings::callback_head>,
    slots: [Atomic<*mut c_void>; SLOTS_PER_LEAF],
    _p: PhantomData<fn(T) -> T>,
}

// SAFETY: It owns values of `T::Owned`, which are `Send`; the head is RCU's once the leaf is freed.
unsafe impl<T: Kept> Send for Leaf<T> {}
// SAFETY: A witness lends a value to one task at a time, and `T::Owned` is `Sync` besides.
unsafe impl<T: Kept> Sync for Leaf<T> {}

impl<T: Kept> slab::Managed for Leaf<T> {}

// SAFETY: The field is for nothing else. `impl_kept!` is for built-in code.
unsafe impl<T: Kept> slab::HasRcuHead for Leaf<T> {
    const OFFSET: usize = core::mem::offset_of!(Self, rcu);
}

impl<T: Kept> Leaf<T> {
    /// An empty leaf, for a [`Share`] of `n` slots.
    #[inline]
    fn new(n: usize) -> Self {
        Self {
            live: Atomic::new(n),
            rcu: Opaque::zeroed(),
            slots: [const { Atomic::new(core::ptr::null_mut()) }; SLOTS_PER_LEAF],
            _p: PhantomData,
        }
    }

    /// The pointer for the slot at `offset` of its device.
    #[inline]
    fn slot(&self, offset: usize) -> &Atomic<*mut c_void> {
        &self.slots[offset % SLOTS_PER_LEAF]
    }

    /// Adds `n` to `live`, unless the leaf is leaving its tree. Mirrors `atomic_add_unless()`.
    #[inline]
    fn join(&self, n: usize) -> bool {
        let mut live = self.live.load(Relaxed);
        while live != 0 {
            match self.live.cmpxchg(live, live.wrapping_add(n), Relaxed) {
                Ok(_) => return true,
                Err(now) => live = now,
            }
        }
        false
    }
}

impl<T: Kept> Drop for Leaf<T> {
    fn drop(&mut self) {
        for slot in &self.slots {
            // SAFETY: By the type invariant it is null, or owns a value, whose last owner this is.
            drop(unsafe { T::Owned::try_from_foreign(slot.load(Relaxed)) });
        }
    }
}

/// Enabled before the first leaf is made.
#[cfg(CONFIG_ZSWAP_RUST)]
static EVER_KEPT: crate::jump_label::static_key::StaticKeyFalse =
    crate::jump_label::static_key::StaticKeyFalse::new();

/// Whether nothing was ever kept for any slot. Costs a no-op as long as that is true.
///
/// Mirrors `zswap_never_enabled()`.
#[cfg(CONFIG_ZSWAP_RUST)]
#[inline]
pub fn nothing_was_ever_kept() -> bool {
    !crate::static_key_enabled_unlikely!(EVER_KEPT)
}

/// Memory for leaves: a slab cache, which is shown in `/proc/slabinfo`.
///
/// # Invariants
///
/// If `open` is true, `EVER_KEPT` is enabled. (The leaves of this file's KUnit suite are an exception: no
/// folio is read for their slots.)
pub struct Leaves<T: Kept> {
    cache: slab::Cache<Leaf<T>>,
    open: Atomic<bool>,
}

impl<T: Kept> Leaves<T> {
    /// Creates the cache, from which no leaf is made before [`Leaves::open`]. May sleep.
    pub fn new(name: &'static CStr) -> Result<Self> {
        // INVARIANT: Not open.
        Ok(Self {
            cache: slab::Cache::new(name)?,
            open: Atomic::new(false),
        })
    }

    /// Allows leaves to be made. From here on [`nothing_was_ever_kept`] returns false. May sleep; takes
    /// `cpus_read_lock()`.
    #[cfg(CONFIG_ZSWAP_RUST)]
    pub fn open(&self) {
        EVER_KEPT.enable();
        // INVARIANT: Just enabled; release publishes that.
        self.open.store(true, Release);
    }
}

/// Where a tree keeps a run of slots.
type Tree<T> = XArray<slab::Object<Leaf<T>>>;

/// The index, in its tree, of the leaf of the slot at `offset`.
#[inline]
fn leaf_index(offset: usize) -> usize {
    offset % SLOTS_PER_TREE / SLOTS_PER_LEAF
}

/// The part of `offsets` that is in the leaf of its first.
#[inline]
fn in_one_leaf(offsets: &Range<usize>) -> Range<usize> {
    let next_leaf = (offsets.start | (SLOTS_PER_LEAF - 1)).wrapping_add(1);
    offsets.start..next_leaf.min(offsets.end)
}

/// A share in the life of a leaf: keeps it in its tree.
///
/// # Invariants
///
/// `leaf` is in `tree`, at `index`, and `n` of its `live` are this value's. `n` isn't 0 while the
/// `slots` that are this value's business are empty.
struct Share<'a, T: Kept> {
    tree: &'a Tree<T>,
    index: usize,
    leaf: NonNull<Leaf<T>>,
    n: usize,
}

impl<'a, T: Kept> Share<'a, T> {
    /// A share for `n` slots, at least one, of the leaf that the slot at `offset` is in, which is inserted
    /// if need be. May sleep if `gfp` may. Fails with `ENOMEM`, or with `EINVAL` if `leaves` isn't open.
    #[inline]
    fn of(
        tree: &'a Tree<T>,
        offset: usize,
        n: usize,
        leaves: &'static Leaves<T>,
        gfp: Flags,
    ) -> Result<Self> {
        let index = leaf_index(offset);
        if let Some(share) = Self::join(tree, index, n) {
            return Ok(share);
        }
        let leaf = Self::insert(tree, index, n, leaves, gfp)?;
        // INVARIANT: As `insert` says.
        Ok(Self {
            tree,
            index,
            leaf,
            n,
        })
    }

    /// A share in the leaf that is there, if there is one that stays.
    #[inline]
    fn join(tree: &'a Tree<T>, index: usize, n: usize) -> Option<Self> {
        let _rcu = rcu::read_lock();
        let leaf = tree.load(index)?.cast::<Leaf<T>>();
        // SAFETY: It was in the tree during this RCU read section, and so isn't freed before its end.
        // INVARIANT: If `join` says so, `n` are ours; with them the leaf stays in the tree. (Not `then_some`:
        // it makes a share first, which is dropped.)
        unsafe { leaf.as_ref() }.join(n).then(|| Self {
            tree,
            index,
            leaf,
            n,
        })
    }

    /// The leaf at `index` of `tree`, new or another task's, with `n` of its `live` for a [`Share`]. Fails with
    /// `EINVAL` if `leaves` isn't open, else with `ENOMEM`.
    #[inline(never)]
    fn insert(
        tree: &'a Tree<T>,
        index: usize,
        n: usize,
        leaves: &'static Leaves<T>,
        gfp: Flags,
    ) -> Result<NonNull<Leaf<T>>> {
        // Acquire pairs with the release in `Leaves::open`: an object is stored only after the key was enabled.
        if !leaves.open.load(Acquire) {
            return Err(EINVAL);
        }
        // Without memory, too: another task may have inserted the leaf while this one waited for some.
        let joined = || {
            let share = Self::join(tree, index, n)?;
            Some(core::mem::ManuallyDrop::new(share).leaf)
        };
        let Ok(vacant) = leaves.cache.alloc(gfp, NumaNode::NO_NODE) else {
            return joined().ok_or(ENOMEM);
        };
        let mut new = vacant.write(Leaf::new(n));
        loop {
            let leaf = new.as_ptr();
            match tree.insert(index, new, gfp) {
                // It has a `live` of `n`, which are ours.
                Ok(()) => return Ok(leaf),
                // Another task, which fills other slots of it, was first.
                Err(StoreError { error, value }) if error == EBUSY => new = value,
                Err(StoreError { error, .. }) => return joined().ok_or(error),
            }
            if let Some(leaf) = joined() {
                return Ok(leaf);
            }
        }
    }

    #[inline]
    fn leaf(&self) -> &Leaf<T> {
        // SAFETY: By the type invariant it is in the tree, and stays there while this lives: `n` is above
        // 0, or slots are filled that only the owner of this could empty.
        unsafe { self.leaf.as_ref() }
    }

    /// Removes the leaf with the last of its `live`. Apart: of 64 slots that are freed, one comes here.
    #[cold]
    #[inline(never)]
    fn leave_last(&self) {
        let mut tree = self.tree.lock();
        // Full: what others did to the leaf before they left it comes before its end.
        if self.leaf().live.fetch_sub(self.n, Full) != self.n {
            return;
        }
        // INVARIANT: The leaf leaves the tree in the critical section in which its `live` became 0.
        let leaf = tree.remove(self.index);
        drop(tree);
        if let Some(leaf) = leaf {
            // All its slots are empty: there is nothing to drop.
            leaf.free_rcu();
        }
    }
}

impl<T: Kept> Drop for Share<'_, T> {
    /// Takes `n` off the leaf's `live`. Mirrors `atomic_dec_and_lock()`.
    #[inline]
    fn drop(&mut self) {
        if self.n == 0 {
            return;
        }
        let mut live = self.leaf().live.load(Relaxed);
        while live > self.n {
            // Release: the slots are empty before the leaf can go.
            match self
                .leaf()
                .live
                .cmpxchg(live, live.wrapping_sub(self.n), Release)
            {
                Ok(_) => return,
                Err(now) => live = now,
            }
        }
        self.leave_last();
    }
}

/// The first of `offsets`, which are in one leaf, that something is kept for: its leaf, which stays while
/// the slot is as it is.
///
/// # Safety
///
/// The slots must be the caller's, by a witness, until it is done with the leaf.
#[inline]
unsafe fn first_filled<T: Kept>(
    tree: &Tree<T>,
    offsets: Range<usize>,
) -> Option<(usize, NonNull<Leaf<T>>)> {
    let _rcu = rcu::read_lock();
    let leaf = tree.load(leaf_index(offsets.start))?.cast::<Leaf<T>>();
    for offset in offsets {
        // SAFETY: The leaf was in the tree during this RCU read section, and isn't freed before its end.
        // The slot is the caller's, by a witness. If it is filled, the leaf is in the tree, and
        // stays there, as only the caller could empty the slot.
        if !unsafe { leaf.as_ref() }
            .slot(offset)
            .load(Relaxed)
            .is_null()
        {
            return Some((offset, leaf));
        }
    }
    None
}

/// Slots of one witness, of which at least one is filled.
///
/// # Invariants
///
/// The slots at `offsets`, all in `tree`, are the owner's for `'a`. The first is filled, and is in `leaf`,
/// which stays while it is.
struct Filled<'a, T: Kept> {
    tree: &'a Tree<T>,
    offsets: Range<usize>,
    leaf: NonNull<Leaf<T>>,
}

impl<'a, T: Kept> Filled<'a, T> {
    /// Looks for the first filled slot among those at `offsets`, all in `tree`.
    ///
    /// # Safety
    ///
    /// The slots must be the caller's for `'a`, by a witness.
    #[inline]
    unsafe fn find(tree: &'a Tree<T>, mut offsets: Range<usize>) -> Option<Self> {
        while !offsets.is_empty() {
            let run = in_one_leaf(&offsets);
            offsets.start = run.end;
            // SAFETY: The slots of `run` are among those of the caller, for `'a`.
            if let Some((first, leaf)) = unsafe { first_filled(tree, run) } {
                // INVARIANT: It is the first, and in that leaf.
                return Some(Self {
                    tree,
                    offsets: first..offsets.end,
                    leaf,
                });
            }
        }
        None
    }

    /// Empties the slots, and hands what was kept for them to `f`, in order; what is in one leaf is shown
    /// to `look` before.
    #[inline]
    fn take_each(self, look: impl Fn(&Leaf<T>, Range<usize>), mut f: impl FnMut(T::Owned)) {
        let mut next = Some(self);
        while let Some(Self {
            tree,
            offsets,
            leaf,
        }) = next
        {
            let run = in_one_leaf(&offsets);
            // INVARIANT: Of `live`, each slot that is emptied below was one.
            let mut share = Share {
                tree,
                index: leaf_index(run.start),
                leaf,
                n: 0,
            };
            look(share.leaf(), run.clone());
            for offset in run.clone() {
                let ptr = share.leaf().slot(offset).load(Relaxed);
                if !ptr.is_null() {
                    share
                        .leaf()
                        .slot(offset)
                        .store(core::ptr::null_mut(), Relaxed);
                    share.n = share.n.wrapping_add(1);
                    crate::race_point!(atomic "invalidate:after_erase");
                    // SAFETY: By the invariant of `Leaf` it owns a value, which is no longer the slot's.
                    f(unsafe { T::Owned::from_foreign(ptr) });
                }
            }
            drop(share);
            // SAFETY: By the type invariant the slots are the caller's.
            next = unsafe { Self::find(tree, run.end..offsets.end) };
        }
    }
}

/// What is kept for all swap slots: for each device an array of trees, from when swapon has attached
/// it to when swapoff detaches it.
///
/// All access goes through one of the witnesses of [the module](self).
///
/// # Invariants
///
/// - `trees[device]` is null, or points to `nr[device]` initialised trees that don't move, in memory
///   of `KVmalloc`. Both change with a [`DeadDevice`] for `device` only.
/// - What a tree keeps for a slot is accessed only with a witness for that slot.
///
/// # Examples
///
/// ```
/// use kernel::mm::{
///     folio::CachedFolio,
///     swap_slots::{Attached, DeadDevice, FreedSlots, Leaves},
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
/// fn note(folio: &mut CachedFolio<'_>, note: u32, leaves: &'static Leaves<Note>) -> Result {
///     let mut slots = folio.slots::<Note>();
///     for index in 0..slots.len() {
///         let note = KBox::new(Note(note), GFP_KERNEL)?;
///         slots.replace(index, note, leaves, GFP_KERNEL)?;
///     }
///     Ok(())
/// }
///
/// fn first_note(folio: &mut CachedFolio<'_>) -> Option<u32> {
///     folio.slots::<Note>().occupied(0).map(|slot| slot.get().0)
/// }
///
/// fn forget(slots: FreedSlots<'_, Note>) {
///     if let Some(filled) = slots.filled() {
///         filled.take_each(drop);
///     }
/// }
/// ```
pub struct SlotTrees<T: Kept> {
    // Apart from their number, so that the address of each takes no arithmetic.
    trees: [Atomic<*mut Tree<T>>; MAX_DEVICES],
    nr: [Atomic<usize>; MAX_DEVICES],
    name: &'static CStr,
    // Invariant in `T`, as is all that comes of it: the type is what says which trees these are.
    _p: PhantomData<fn(T) -> T>,
}

// SAFETY: It is a collection of trees, which are `Sync`; what witnesses lend without a lock is `Send` and
// `Sync`, by `Kept::Owned`.
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
    unsafe fn tree<'a>(&'a self, entry: SwapEntry) -> Option<&'a Tree<T>> {
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
    fn device(&self, device: &DeadDevice<'_>) -> (&Atomic<*mut Tree<T>>, &Atomic<usize>) {
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
        // SAFETY: By the invariant of `CachedFolio` the slots are ours, and no other `Slots` of the folio is in use, as
        // `self` is borrowed exclusively for `'a`.
        unsafe { Slots::of(self) }
    }
}

/// What is kept for the slots of a [`CachedFolio`], while nobody else can touch it.
///
/// # Invariants
///
/// For `'a` the `nr` slots of `folio`, from `first` on, all in `tree`, are ours alone.
pub struct Slots<'a, 'f, T: Kept> {
    tree: Option<&'a Tree<T>>,
    nr: usize,
    folio: &'a CachedFolio<'f>,
}

impl<'a, 'f, T: Kept> Slots<'a, 'f, T> {
    /// # Safety
    ///
    /// For `'a` there must be no other `Slots` of `folio` for `T`.
    #[inline]
    unsafe fn of(folio: &'a CachedFolio<'f>) -> Self {
        let first = folio.swap();
        Slots {
            // INVARIANT: A folio's slots are aligned to their number, which is at most that of a
            // cluster and divides `SLOTS_PER_TREE`: all are in one tree. By the invariant of
            // `CachedFolio` the slots are ours, and the caller guarantees that this is their only `Slots`. The
            // device is alive, which its trees outlive.
            //
            // SAFETY: The device is alive for as long as `folio` is borrowed.
            tree: unsafe { T::trees().tree(first) },
            nr: folio.nr_pages(),
            folio,
        }
    }

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
        if index >= self.len() {
            return None;
        }
        // SAFETY: The folio has `nr` pages, as nobody else could split it.
        Some((self.folio.swap().after(index), unsafe {
            self.folio.page_unchecked(index)
        }))
    }

    /// The offset of slot `index` on its device.
    #[inline]
    fn offset(&self, index: usize) -> usize {
        self.folio.swap().after(index).offset()
    }

    /// What is kept for slot `index` of the folio. The others can't be looked at meanwhile.
    #[inline]
    pub fn occupied(self, index: usize) -> Option<Occupied<'a, T>> {
        if index >= self.len() {
            return None;
        }
        // SAFETY: The folio has such a slot, and the others are given up.
        unsafe { self.find(index) }
    }

    /// What is kept for slot `index` of the folio.
    ///
    /// # Safety
    ///
    /// `index` must be below `nr`. As long as the result is used `self` must not be.
    #[inline]
    unsafe fn find(&self, index: usize) -> Option<Occupied<'a, T>> {
        // Often nothing is kept in all of it: that takes no walk.
        let tree = self.tree.filter(|tree| !tree.is_empty())?;
        let offset = self.offset(index);
        // SAFETY: By the type invariant the slot is ours.
        let (_, leaf) = unsafe { first_filled(tree, offset..offset.wrapping_add(1)) }?;
        // INVARIANT: By ours, which isn't used meanwhile. The slot is filled, and one of `live`.
        Some(Occupied {
            share: Share {
                tree,
                index: leaf_index(offset),
                leaf,
                n: 0,
            },
            offset,
            _not_send: NotThreadSafe,
        })
    }

    /// Gives the slots at `indices`, [`Indices::MOST`] at most, the zero mark whose page of the folio is all
    /// zeroes: it is read as such then, and from nowhere else. What is kept of `T` for such a slot is older,
    /// and is dropped. What is kept of another type stays behind the mark: nobody reads it, and the slot has it
    /// until it is stored again, freed, or written back, which finds the mark. Returns the others.
    ///
    /// The mark stays when the folio goes to the device all the same, as it says what is written there. It has
    /// to be removed when the page changes: `swap_writeout()` does that for every folio, before a store.
    ///
    /// Takes the lock of the slots' cluster. Mirrors `swap_zeromap_folio_set()`, which marks whole folios, and
    /// leaves what others keep for their slots.
    #[inline]
    pub fn mark_zeroes(&mut self, indices: Range<usize>) -> Indices {
        let all = Indices::new(indices.start..indices.end.min(self.len()));
        let mut zeroes = 0;
        for index in all {
            match self.get(index) {
                Some((_, page)) if page.is_zero_filled() => zeroes |= all.bit(index),
                _ => (),
            }
        }
        if zeroes == 0 {
            return all;
        }
        self.mark(all.only(zeroes));
        all.only(!zeroes)
    }

    /// Apart: most folios have no page of zeroes. `zeroes` are slots of the folio, below `nr`.
    #[cold]
    #[inline(never)]
    fn mark(&mut self, zeroes: Indices) {
        for index in zeroes {
            // SAFETY: The folio has such a slot. It is dropped before `self` is used again.
            drop(unsafe { self.find(index) }.map(Occupied::take));
        }
        // SAFETY: The folio is alive, locked and in the swap cache, by the invariant of `CachedFolio`; its slots
        // are of one cluster, as it is. It has these, as `mark_zeroes` looks at no others. Its pages could be
        // had from the witness, and so by its invariant this task doesn't hold the cluster's lock.
        unsafe {
            bindings::folio_swap_set_zero(self.folio.as_raw(), zeroes.first as usize, zeroes.bits)
        };
    }

    /// Keeps `value` for slot `index` of the folio. Returns it, borrowed, and what was kept before.
    ///
    /// An object that could be on a list is neither charged nor put there: it uses memory that no limit counts,
    /// and is never written back. [`Slots::publish`] does both.
    ///
    /// May sleep if `gfp` may. Fails with `EINVAL` if the folio has no such slot, the device no trees or
    /// `leaves` isn't open, else with `ENOMEM`; `value` is dropped then.
    #[inline]
    pub fn replace(
        &mut self,
        index: usize,
        value: T::Owned,
        leaves: &'static Leaves<T>,
        gfp: Flags,
    ) -> Result<Replaced<'_, T>> {
        let tree = match self.tree {
            Some(tree) if index < self.len() => tree,
            _ => return Err(EINVAL),
        };
        let offset = self.offset(index);
        let mut share = Share::of(tree, offset, 1, leaves, gfp)?;
        // SAFETY: By the type invariant the slot is ours.
        let old = unsafe { share.fill(offset, value.into_foreign()) };
        let ptr = share.leaf().slot(offset).load(Relaxed);
        // SAFETY: From `into_foreign`. Nobody else takes it out of the slot, or looks at it, for as long
        // as `self` is borrowed, and we can't.
        Ok((unsafe { T::Owned::borrow(ptr) }, old))
    }
}

impl<T: Kept> Share<'_, T> {
    /// Fills the slot at `offset`, of the leaf, and returns what was kept for it.
    ///
    /// # Safety
    ///
    /// The slot must be the caller's, by a witness, and one that the share is for; `ptr` must be from
    /// `T::Owned::into_foreign`, and is the slot's from here on.
    #[inline]
    unsafe fn fill(&mut self, offset: usize, ptr: *mut c_void) -> Option<T::Owned> {
        let slot = self.leaf().slot(offset);
        let old = slot.load(Relaxed);
        slot.store(ptr, Relaxed);
        if old.is_null() {
            // INVARIANT: What was this share's of `live` is the slot's.
            self.n = self.n.wrapping_sub(1);
            return None;
        }
        // SAFETY: By the invariant of `Leaf` it owned a value, which is no longer the slot's.
        Some(unsafe { T::Owned::from_foreign(old) })
    }
}

/// Some slots of a folio, in order, as their indices, which are below 2^32.
///
/// # Invariants
///
/// `left` of `bits` are set.
#[derive(Clone, Copy)]
pub struct Indices {
    first: u32,
    /// Kept, as counting bits takes a dozen instructions without `POPCNT`.
    left: u32,
    /// Of the indices from `first` on.
    bits: usize,
}

impl Indices {
    /// There are so many, at most.
    pub const MOST: usize = usize::BITS as usize;

    /// All of `indices`; of more than [`Indices::MOST`], the first.
    #[inline]
    pub fn new(indices: Range<usize>) -> Self {
        let len = indices.end.saturating_sub(indices.start).min(Self::MOST);
        // INVARIANT: The lowest `len`.
        Self {
            first: indices.start as u32,
            left: len as u32,
            bits: usize::MAX
                .checked_shr(usize::BITS.wrapping_sub(len as u32))
                .unwrap_or(0),
        }
    }

    /// The bit of `index`, which is one of them.
    #[inline]
    fn bit(self, index: usize) -> usize {
        1usize.wrapping_shl((index as u32).wrapping_sub(self.first))
    }

    /// Those of them whose bit is in `bits`.
    fn only(self, bits: usize) -> Self {
        let bits = self.bits & bits;
        // INVARIANT: Counted.
        Self {
            bits,
            left: bits.count_ones(),
            ..self
        }
    }
}

impl Iterator for Indices {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.bits == 0 {
            return None;
        }
        let bit = self.bits.trailing_zeros();
        // INVARIANT: One less.
        self.bits &= self.bits.wrapping_sub(1);
        self.left = self.left.wrapping_sub(1);
        Some(self.first.wrapping_add(bit) as usize)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

// Not the default one, which compares the bounds of `size_hint`, and may panic.
impl ExactSizeIterator for Indices {
    #[inline]
    fn len(&self) -> usize {
        self.left as usize
    }
}

#[cfg(CONFIG_ZSWAP_RUST)]
impl<'f, T: Listed> Slots<'f, 'f, T> {
    /// Keeps the objects of `charged` for the folio's slots, each for that of its position; what was kept
    /// before is dropped. Then puts each on its list, where walks find it. Returns how many there were, and
    /// that it was done. Nothing can change the slots after that: the folio's witness is borrowed for all its
    /// time.
    ///
    /// A slot without an object must have the zero mark, of [`Slots::mark_zeroes`]: its page would be lost. A
    /// slot with an object must not: it would be read as zeroes.
    ///
    /// May sleep if `gfp` may. Fails with `EINVAL` if there aren't as many positions as slots, a slot without
    /// an object has no mark, the device has no trees or `leaves` isn't open, else with `ENOMEM`: the slots of
    /// some leaves may have their objects then, and the others stay in their batch, and are dropped with it.
    /// If some have gone it can't be published again: their positions are empty. What is returned then gives the slots
    /// back, to be cleared. Mirrors the loop over `zswap_store_page()` in C, which does all this for each page.
    #[inline]
    pub fn publish(
        self,
        charged: crate::mm::list_lru::Charged<'_, T>,
        leaves: &'static Leaves<T>,
        gfp: Flags,
    ) -> Result<(usize, Published<'f, T>), (Unpublished<'f, T>, Error)> {
        match self.fill_all(charged, leaves, gfp) {
            Ok(nr) => Ok((nr, Published(PhantomData, PhantomData))),
            // INVARIANT: `self` ends here.
            Err(error) => Err((Unpublished(self.folio, PhantomData), error)),
        }
    }

    /// As [`publish`](Self::publish), of which it is the work.
    #[inline]
    fn fill_all(
        &self,
        charged: crate::mm::list_lru::Charged<'_, T>,
        leaves: &'static Leaves<T>,
        gfp: Flags,
    ) -> Result<usize> {
        let nr_slots = self.len();
        let tree = match self.tree {
            Some(tree) if charged.len() == nr_slots => tree,
            _ => return Err(EINVAL),
        };
        let mut rest = charged;
        let gaps = rest.batch().gaps();
        if gaps != 0 && !self.others_are_zero(rest.batch()) {
            return Err(EINVAL);
        }
        let mut done = 0;
        while done < nr_slots {
            let (first, offset) = (done, self.offset(done));
            done = done
                .wrapping_add(SLOTS_PER_LEAF - offset % SLOTS_PER_LEAF)
                .min(nr_slots);
            let mut nr = done.wrapping_sub(first);
            if gaps != 0 {
                // Those in earlier leaves are gone.
                nr = rest.batch().count_before(done);
                if nr == 0 {
                    continue;
                }
            }
            let mut share = Share::of(tree, offset, nr, leaves, gfp)?;
            let fill = |position, ptr: NonNull<T>| {
                // An older object is stale: the folio was stored before, and was redirtied in the swap
                // cache.
                // SAFETY: By the type invariant the slot is ours. It is in the share's leaf: its position is
                // below `done`, as no object with another is handed over, and those below `first` have gone
                // with the leaves before. The object is the slot's from here on.
                drop(unsafe { share.fill(self.offset(position), ptr.as_ptr().cast()) });
            };
            // SAFETY: There are `nr` objects with positions below `done`, and they are the next: counted, or
            // one for each position, where none was without. Each is the slot's once `fill` has returned. By
            // the type invariant nobody else takes it out of its slot, and we don't before this returns.
            unsafe { rest.publish(nr, fill) };
        }
        Ok(nr_slots.wrapping_sub(gaps))
    }

    /// Whether all slots of the folio have the zero mark that get none of the objects of `batch`.
    #[cold]
    #[inline(never)]
    fn others_are_zero(&self, batch: &crate::mm::list_lru::Batch<T>) -> bool {
        let mut objects = batch.positions();
        let mut next = objects.next();
        (0..self.len()).all(|index| {
            if next == Some(index) {
                next = objects.next();
                return true;
            }
            // SAFETY: The folio is alive, locked and in the swap cache, which keeps the cluster from being
            // freed, and the marks from changing. It has such a slot.
            unsafe { bindings::folio_swap_is_zero(self.folio.as_raw(), index) }
        })
    }
}

impl<'f, T: Kept> Slots<'f, 'f, T> {
    /// The slots that are filled, if there are any.
    #[inline]
    fn filled(&self) -> Option<Filled<'f, T>> {
        let tree = self.tree.filter(|tree| !tree.is_empty())?;
        let first = self.folio.swap().offset();
        // SAFETY: By the type invariant the slots are ours.
        unsafe { Filled::find(tree, first..first.wrapping_add(self.len())) }
    }

    /// Empties every slot of the folio. Doesn't sleep, unless `f` does, which is handed what was kept.
    ///
    /// The folio's witness must be borrowed for all its time: with it, something could be put into
    /// a slot again.
    ///
    /// Objects on lists stay on them, until they are dropped: unlike [`clear_listed`](Self::clear_listed). For
    /// the consequence see [`FilledSlots::take_each`].
    #[inline]
    pub fn clear(self, f: impl FnMut(T::Owned)) -> Cleared<'f, T> {
        if let Some(filled) = self.filled() {
            filled.take_each(|_, _| (), f);
        }
        Cleared(PhantomData, PhantomData)
    }

    /// As [`clear`](Self::clear), for objects on lists, which they leave together.
    #[cfg(CONFIG_ZSWAP_RUST)]
    #[inline]
    pub fn clear_listed(self, f: impl FnMut(T::Owned)) -> Cleared<'f, T>
    where
        T: Listed,
    {
        if let Some(filled) = self.filled() {
            filled.take_each(unlist, f);
        }
        Cleared(PhantomData, PhantomData)
    }
}

/// Says that each slot of the folio whose [`CachedFolio`] had the lifetime `'f` has a `T` that was stored for
/// it, or the zero mark, and that none was taken out since. Only [`Slots::publish`] can say so.
#[cfg(CONFIG_ZSWAP_RUST)]
pub struct Published<'f, T>(PhantomData<CachedFolio<'f>>, PhantomData<fn(T) -> T>);

/// The slots of a folio that [`Slots::publish`] has not filled, or not all of them. One word, where [`Slots`] has
/// four: it is returned on the stack.
///
/// # Invariants
///
/// There is no `Slots` of the folio for `T`, and there is no other `Unpublished`.
#[cfg(CONFIG_ZSWAP_RUST)]
pub struct Unpublished<'f, T>(&'f CachedFolio<'f>, PhantomData<fn(T) -> T>);

#[cfg(CONFIG_ZSWAP_RUST)]
impl<'f, T: Listed> Unpublished<'f, T> {
    /// The slots, of which any may have an object.
    #[inline]
    pub fn slots(self) -> Slots<'f, 'f, T> {
        // SAFETY: By the type invariant there is no other, and `self` ends here.
        unsafe { Slots::of(self.0) }
    }
}

/// Says that no slot of the folio whose [`CachedFolio`] had the lifetime `'f` has a `T` any more, nor
/// will have one for that long.
pub struct Cleared<'f, T>(PhantomData<CachedFolio<'f>>, PhantomData<fn(T) -> T>);

/// A slot that something is kept for.
///
/// # Invariants
///
/// The slot at `offset`, of the leaf of `share`, is ours for `'a`, and filled: one of `live`. `share.n`
/// is 0.
pub struct Occupied<'a, T: Kept> {
    share: Share<'a, T>,
    offset: usize,
    // A folio's lock is its task's.
    _not_send: NotThreadSafe,
}

impl<T: Kept> Occupied<'_, T> {
    /// Looks at it, for no longer than until it is taken.
    #[inline]
    pub fn get(&self) -> Borrowed<'_, T> {
        let ptr = self.share.leaf().slot(self.offset).load(Relaxed);
        // SAFETY: By the type invariant the slot is ours and filled; taking it consumes `self`.
        unsafe { T::Owned::borrow(ptr) }
    }

    /// Takes it out of its slot. Mirrors `xa_erase()` in C's `zswap_load()`.
    #[inline]
    pub(super) fn take(mut self) -> T::Owned {
        let slot = self.share.leaf().slot(self.offset);
        let ptr = slot.load(Relaxed);
        slot.store(core::ptr::null_mut(), Relaxed);
        // INVARIANT: What was the slot's of `live` is the share's, which is dropped here.
        self.share.n = 1;
        // SAFETY: By the type invariant the slot was filled: it owned a value, which is ours now.
        unsafe { T::Owned::from_foreign(ptr) }
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
pub struct FreedSlots<'a, T: Kept> {
    // Two words, which are handed on in registers.
    first: SwapEntry,
    nr: usize,
    _tree: PhantomData<&'a Tree<T>>,
    // A spin lock is its task's.
    _not_send: NotThreadSafe,
}

impl<'a, T: Kept> FreedSlots<'a, T> {
    /// Lends `f` the witness that `nr` slots from `entry` on are being freed.
    ///
    /// # Safety
    ///
    /// Until `f` returns, the caller must hold the lock of the cluster of `entry`, which all the slots
    /// must be in, with their swap-table entries NULL, on a device that has not been swapped off, and
    /// leave the slots to `f`. (A caller that holds the lock of the slots' folio, in the swap cache, and
    /// has no witness in use for it excludes the same, and may use this as well.)
    ///
    /// [`DeadDevice::attach_raw`] must have succeeded for the device and `T`, with as many slots as it
    /// has: there is no check, as this is for every slot that is freed.
    #[inline(always)] // for the same reason
    pub unsafe fn with_raw<R>(
        entry: bindings::swp_entry_t,
        nr: usize,
        f: impl for<'b> FnOnce(FreedSlots<'b, T>) -> R,
    ) -> R {
        f(FreedSlots {
            // INVARIANT: The caller has the lock that excludes other witnesses, and the device has trees for
            // all of its slots until it is swapped off. A cluster is in one tree, as its size divides that of
            // a tree.
            // SAFETY: The device of `entry` has not been swapped off.
            first: unsafe { SwapEntry::from_raw(entry) },
            nr,
            _tree: PhantomData,
            _not_send: NotThreadSafe,
        })
    }

    #[inline(always)] // for every slot that is freed
    fn tree(&self) -> &'a Tree<T> {
        // SAFETY: By the invariant of `SwapEntry` the number is below `MAX_SWAPFILES`.
        let trees = unsafe { T::trees().trees.get_unchecked(self.first.device()) };
        // Acquire as in `SlotTrees::tree`.
        let trees = trees.load(Acquire);
        // SAFETY: By the type invariant and that of `SlotTrees` there are trees for all of the device's
        // slots, for `'a`.
        unsafe { &*trees.add(self.first.offset() / SLOTS_PER_TREE) }
    }

    /// Whether nothing is kept, for these slots or for others near them. Takes no walk.
    ///
    /// Takes no lock: no store for these slots can be under way, as that takes a folio in the swap cache,
    /// and the cluster's lock orders this after the last one.
    #[inline]
    pub fn have_nothing(&self) -> bool {
        self.tree().is_empty()
    }

    /// The slots that something is kept for, if there are any. Takes no lock, for the reason above.
    #[inline]
    pub fn filled(self) -> Option<FilledSlots<'a, T>> {
        let first = self.first.offset();
        let offsets = first..first.wrapping_add(self.nr);
        // SAFETY: By the type invariant the slots are ours.
        let filled = unsafe { Filled::find(self.tree(), offsets) }?;
        Some(FilledSlots {
            filled,
            _not_send: NotThreadSafe,
        })
    }
}

/// [`FreedSlots`], of which at least one is filled.
pub struct FilledSlots<'a, T: Kept> {
    filled: Filled<'a, T>,
    // A spin lock is its task's.
    _not_send: NotThreadSafe,
}

impl<T: Kept> FilledSlots<'_, T> {
    /// Empties the slots, and hands what was kept for them to `f`, in order. The cluster is locked: `f`
    /// must not sleep, nor call what takes the lock of a cluster, such as
    /// [`SwapDevice::add_folio`](crate::mm::swap::SwapDevice::add_folio). That deadlocks, as types don't say
    /// which locks are held.
    ///
    /// Objects on lists stay on them, until they are dropped: unlike [`take_listed`](Self::take_listed).
    /// Without `CONFIG_SMP` no lock keeps a walk from going on around this: dropping the object that it visits is
    /// a use after free.
    ///
    /// Takes no lock but for a leaf that goes.
    #[inline]
    pub fn take_each(self, f: impl FnMut(T::Owned)) {
        self.filled.take_each(|_, _| (), f);
    }

    /// As [`take_each`](Self::take_each), for objects on lists, which they leave together.
    #[cfg(CONFIG_ZSWAP_RUST)]
    #[inline]
    pub fn take_listed(self, f: impl FnMut(T::Owned))
    where
        T: Listed,
    {
        self.filled.take_each(unlist, f);
    }
}

/// What is kept for slots in objects that are on lists.
#[cfg(CONFIG_ZSWAP_RUST)]
pub trait Listed: Kept<Owned = slab::Object<Self>> + crate::mm::list_lru::Item {}

#[cfg(CONFIG_ZSWAP_RUST)]
impl<T: Kept<Owned = slab::Object<T>> + crate::mm::list_lru::Item> Listed for T {}

/// Takes the objects of slots, which are the caller's, off their lists.
#[cfg(CONFIG_ZSWAP_RUST)]
#[inline]
fn unlist<T: Listed>(leaf: &Leaf<T>, offsets: Range<usize>) {
    let objects = offsets.filter_map(|offset| {
        let ptr = NonNull::new(leaf.slot(offset).load(Relaxed))?;
        // SAFETY: By the invariant of `Leaf` it is from `into_foreign`; the caller of `take_each`, which has
        // a witness for the slot, takes it only after this.
        Some(unsafe { <T::Owned as ForeignOwnable>::borrow(ptr.as_ptr()) })
    });
    // SAFETY: The caller of `take_each` has a witness for the slots.
    unsafe { crate::mm::list_lru::ListLru::remove_all(objects) };
}

/// Witness that a swap device is out of use, and that its number is nobody else's: either swapon
/// hasn't published the device yet, or swapoff has freed all its slots, and has waited for everybody
/// who could have had a reference to it.
///
/// # Invariants
///
/// `device` is such a device for `'a`, is below `MAX_SWAPFILES`, and there is one such witness
/// for it at a time: what the holder of one does happens before what that of the next does. If it isn't 0,
/// `nr_slots` is as many as the device will have.
pub struct DeadDevice<'a> {
    device: usize,
    /// The slots that it has; none if it is on its way out.
    nr_slots: usize,
    _out_of_use: PhantomData<fn(&'a mut ()) -> &'a mut ()>,
}

impl DeadDevice<'_> {
    /// Lends `f` the witness that `device` is out of use. Fails with `EINVAL` if there is no such
    /// number.
    ///
    /// # Safety
    ///
    /// Until `f` returns, `device` must be out of use, as described at the type, and nobody else may
    /// have a witness for it. (The task that has set `SWP_USED` of its `swap_info_struct`, and not
    /// cleared it yet, has the number to itself; swapoff holds `swapon_mutex` besides. `swap_lock`, under which
    /// the flag is set and cleared, orders one owner of the number after the other.)
    pub unsafe fn with_raw<R>(
        device: c_int,
        f: impl for<'a> FnOnce(DeadDevice<'a>) -> Result<R>,
    ) -> Result<R> {
        let device = usize::try_from(device).map_err(|_| EINVAL)?;
        if device >= MAX_DEVICES {
            return Err(EINVAL);
        }
        // INVARIANT: The caller has the number, which was just checked, to itself until `f` returns, after its
        // earlier owners.
        f(DeadDevice {
            device,
            nr_slots: 0,
            _out_of_use: PhantomData,
        })
    }

    /// Lends `f` the witness for a device that is to be put into use with `nr_slots` slots. If this
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
        // SAFETY: The device is out of use until `f` returns, and the caller has the only witness for it.
        unsafe { Self::with_raw(device, f) }
    }
}

/// Says that the device whose [`DeadDevice`] had the lifetime `'a` has trees of `T` for all its slots.
pub struct Attached<'a, T>(PhantomData<DeadDevice<'a>>, PhantomData<fn(T) -> T>);

impl<'a> DeadDevice<'a> {
    /// Makes trees of `T` for the slots of the device. May sleep. Fails with `ENOMEM`; with `EINVAL`
    /// for a device that isn't to be put into use, or that has more slots than
    /// [`SwapEntry::OFFSET_BITS`] can name, which C refuses before.
    ///
    /// Mirrors `zswap_swapon()`.
    pub fn attach<T: Kept>(mut self, key: Pin<&'static LockClassKey>) -> Result<Attached<'a, T>> {
        if self.nr_slots == 0 || self.nr_slots as u64 > 1 << SwapEntry::OFFSET_BITS {
            return Err(EINVAL);
        }
        let nr = self.nr_slots.div_ceil(SLOTS_PER_TREE);
        let layout = core::alloc::Layout::array::<Tree<T>>(nr).map_err(|_| ENOMEM)?;
        self.detach::<T>();
        let trees = KVmalloc::alloc(layout, GFP_KERNEL, NumaNode::NO_NODE)
            .map_err(|_| ENOMEM)?
            .cast::<Tree<T>>()
            .as_ptr();
        for i in 0..nr {
            // SAFETY: The allocation has room for `nr` trees, nobody else knows it yet, and it
            // doesn't move.
            unsafe { pin_init::raw_init(trees.add(i), XArray::new_plain(T::trees().name, key)) };
        }
        // INVARIANT: `nr` initialised trees, with the witness for the device. Release publishes
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
        // Relaxed: the witness that attached the trees came before this one, by the type invariant.
        let trees = its_trees.load(Relaxed);
        let nr = its_nr.load(Relaxed);
        let Some(ptr) = NonNull::new(trees) else {
            return true;
        };
        // INVARIANT: No trees, with the witness for the device.
        its_trees.store(core::ptr::null_mut(), Relaxed);
        its_nr.store(0, Relaxed);

        let mut empty = true;
        for i in 0..nr {
            // SAFETY: By the invariant of `SlotTrees` these are `nr` trees. Nobody else uses them, by
            // the witness, or will, since they are no longer reachable.
            unsafe {
                empty &= (*trees.add(i)).is_empty();
                core::ptr::drop_in_place(trees.add(i));
            }
        }
        // SAFETY: Allocated by `attach` with that number of trees, and unreachable now.
        unsafe {
            KVmalloc::free(
                ptr.cast(),
                core::alloc::Layout::array::<Tree<T>>(nr).unwrap_unchecked(),
            )
        };
        empty
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_swap_slots)]
mod tests {
    use super::*;
    use crate::sync::SetOnce;

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

    struct Number(u32);

    crate::impl_kept! {
        impl Kept for Number { owned: KBox<Number>, name: c"rust_swap_slots_test" }
    }

    /// For ever, and for when the test is run again.
    fn leaves() -> Result<&'static Leaves<Number>> {
        static LEAVES: SetOnce<Leaves<Number>> = SetOnce::new();
        if LEAVES.as_ref().is_none() {
            LEAVES.populate(Leaves::new(c"rust_swap_slots_test")?);
        }
        LEAVES.as_ref().ok_or(ENOMEM)
    }

    /// Whether `leaves` are open. Not by `Leaves::open()`: with the key, C would allocate no large folios.
    fn open(open: bool) -> Result {
        leaves()?.open.store(open, Relaxed);
        Ok(())
    }

    /// The slot at `offset` of device 2.
    fn entry(offset: usize) -> bindings::swp_entry_t {
        // SAFETY: Arithmetic on the values.
        unsafe { bindings::swp_entry(2, offset) }
    }

    fn tree(offset: usize) -> Option<&'static Tree<Number>> {
        // SAFETY: The number is one of a device; its trees go after the last use.
        unsafe { Number::trees().tree(SwapEntry::from_raw(entry(offset))) }
    }

    fn keep(offset: usize, number: u32) -> Result<Option<u32>> {
        let tree = tree(offset).ok_or(EINVAL)?;
        let number = KBox::new(Number(number), GFP_KERNEL)?;
        let mut share = Share::of(tree, offset, 1, leaves()?, GFP_KERNEL)?;
        // SAFETY: No other task uses the slot, which is no device's.
        let old = unsafe { share.fill(offset, number.into_foreign()) };
        Ok(old.map(|old| old.0))
    }

    fn kept(offset: usize) -> Option<u32> {
        let next = offset.wrapping_add(1);
        // SAFETY: No other task uses the slot, which is no device's.
        let (_, leaf) = unsafe { first_filled(tree(offset)?, offset..next) }?;
        // SAFETY: It is filled, so that the leaf stays; from `into_foreign`.
        Some(unsafe { KBox::<Number>::borrow(leaf.as_ref().slot(offset).load(Relaxed)) }.0)
    }

    /// The numbers of the slots that are freed, as the digits of one.
    fn free(offset: usize, nr: usize) -> u32 {
        let mut all = 0u32;
        let f = |number: KBox<Number>| all = all.wrapping_mul(10).wrapping_add(number.0);
        // SAFETY: Attached, with more slots, which are nobody else's.
        unsafe {
            FreedSlots::<Number>::with_raw(entry(offset), nr, |slots| {
                if let Some(filled) = slots.filled() {
                    filled.take_each(f);
                }
            })
        };
        all
    }

    /// The `live` of the leaf of a slot.
    fn live(offset: usize) -> Option<usize> {
        let leaf = tree(offset)?
            .load(leaf_index(offset))?
            .cast::<Leaf<Number>>();
        // SAFETY: Nobody else changes the tree.
        Some(unsafe { leaf.as_ref() }.live.load(Relaxed))
    }

    // One test: there is one device for all.
    #[test]
    fn trees_and_leaves_come_and_go() -> Result {
        let key = crate::static_lock_class!();
        let attach = |nr| {
            // SAFETY: No other task uses these trees, which are no device's.
            unsafe { DeadDevice::attach_raw::<Number>(2, nr, |device| device.attach(key)) }
        };
        let detach = || {
            // SAFETY: No other task uses these trees, which are no device's.
            unsafe { DeadDevice::with_raw(2, |mut device| Ok(device.detach::<Number>())) }
        };

        assert!(tree(0).is_none());
        assert!(attach(0).err() == Some(EINVAL));
        assert!(attach((1 << SwapEntry::OFFSET_BITS) + 1).err() == Some(EINVAL));
        attach(SLOTS_PER_TREE + 1)?;
        assert!(tree(0).is_some() && tree(SLOTS_PER_TREE).is_some());
        assert!(tree(2 * SLOTS_PER_TREE).is_none());
        assert!(detach()?);
        assert!(detach()?);
        assert!(tree(0).is_none());

        attach(SLOTS_PER_TREE)?;
        // Nothing is kept before the leaves are open.
        open(false)?;
        assert!(keep(0, 1).err() == Some(EINVAL));
        assert!(kept(0).is_none() && live(0).is_none());
        open(true)?;
        let edge = SLOTS_PER_LEAF;
        // Freeing takes what is there, across leaves, and no neighbour.
        assert!(free(edge - 2, 4) == 0);
        for (offset, number) in [(edge - 2, 1), (edge - 1, 2), (edge, 3), (edge + 2, 4)] {
            assert!(keep(offset, number)?.is_none());
        }
        assert!((live(0), live(edge), live(2 * edge)) == (Some(2), Some(2), None));
        assert!(free(edge - 1, 2) == 23);
        assert!((live(0), live(edge)) == (Some(1), Some(1)));
        assert!((kept(edge - 2), kept(edge - 1), kept(edge + 2)) == (Some(1), None, Some(4)));
        // What is replaced comes back, and counts once.
        assert!(keep(edge - 2, 5)? == Some(1));
        assert!(live(0) == Some(1));
        // A leaf goes with the last slot of it, and another comes.
        assert!(free(0, 2 * edge) == 54);
        assert!((live(0), live(edge)) == (None, None));
        assert!(keep(3, 6)?.is_none());
        assert!(live(0) == Some(1));

        // A share keeps a leaf without a filled slot.
        let share = Share::of(tree(0).ok_or(EINVAL)?, 8, 2, leaves()?, GFP_KERNEL)?;
        assert!(free(3, 1) == 6);
        assert!(live(0) == Some(2));
        drop(share);
        assert!(live(0).is_none());
        assert!(detach()?);

        // What was left in a tree is dropped with it, and the caller is told.
        attach(10)?;
        keep(6, 7)?;
        keep(7, 8)?;
        assert!(free(7, 1) == 8);
        assert!(free(7, 1) == 0);
        assert!(kept(6) == Some(7) && kept(7).is_none());
        assert!(!detach()?);
        Ok(())
    }
}
