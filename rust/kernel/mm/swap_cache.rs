// SPDX-License-Identifier: GPL-2.0

//! The swap cache: which folio has a slot's page, and how it becomes so and ceases to.
//!
//! Swapin, swapout and writeback of a slot are synchronised by the folio that the slot has in the
//! swap cache, and by nothing else:
//!
//! | step                                    | type                                               |
//! |-----------------------------------------|----------------------------------------------------|
//! | a slot, on a device that stays          | [`Slot`]                                           |
//! | look up: a counted reference, no access | [`Slot::folio`]                                    |
//! | win the slots: a folio enters, locked   | [`Slot::add_folio`] gives [`Entered`], under the lock    |
//! | it is charged                           | [`Entered::charge`] gives [`Charged`]              |
//! | it could be split, if it is large       | [`Charged::prepare_split`] gives [`Splittable`]    |
//! | it is known to reclaim                  | [`Splittable::publish`] gives [`NewFolio`]         |
//! | it is filled                            | [`NewFolio::read`]                                 |
//! | it leaves                               | [`Pinned::delete`]                                 |
//!
//! Each step takes the one before, and to drop one undoes what was done: a folio that can't be
//! charged leaves the swap cache as if it had never been there. Nothing here waits for a folio's lock.
//!
//! The lock of a cluster is a spin lock, never taken in interrupts. Reclaim takes it with interrupts
//! disabled. Under it is locked what freeing a slot locks, and what old cgroups lock at swapout.
//!
//! C headers: [`mm/swap.h`](srctree/mm/swap.h), [`mm/swap_table.h`](srctree/mm/swap_table.h)

use crate::{
    alloc::Flags,
    bindings,
    error::{
        code::{
            EBUSY,
            EEXIST,
            EINVAL,
            ENOENT,
            ENOMEM, //
        },
        Result, //
    },
    ffi::{
        c_int,
        c_long,
        c_uint,
        c_ulong,
        c_ushort, //
    },
    mm::{
        folio::{
            CachedFolio,
            Folio, //
        },
        swap::{
            NewFolio,
            SwapDevice, //
        },
        swap_table::{
            self,
            Native,
            Pfn,
            Shadow,
            Word, //
        },
        virt::VmaRef,
    },
    sync::{
        aref::ARef,
        atomic::{
            ordering::{
                Relaxed,
                Release, //
            },
            Atomic,
        },
    },
    types::NotThreadSafe,
};
use core::{
    marker::PhantomData,
    mem::ManuallyDrop,
    ptr::NonNull, //
};

/// Slots in a cluster. Mirrors `SWAPFILE_CLUSTER`.
pub const SLOTS_PER_CLUSTER: usize = bindings::SWAPFILE_CLUSTER_SLOTS;
use SLOTS_PER_CLUSTER as CLUSTER;

/// The largest window of readahead by address, as a power of 2. Mirrors `SWAP_RA_ORDER_CEILING`.
pub const READAHEAD_MAX_ORDER: u32 = bindings::SWAP_RA_ORDER_CEILING;

/// What the words of this kernel say.
pub type SlotWord = Word<{ bindings::SWAP_TABLE_PFN_BITS as u32 }>;
type SlotFlags = swap_table::Flags<{ bindings::SWAP_TABLE_PFN_BITS as u32 }>;

/// A swap slot on a device that stays.
///
/// Says nothing about who uses the slot: it may be free.
///
/// # Invariants
///
/// During `'a` the device of `entry` isn't taken out of use; `entry` lies within it, in `cluster`.
///
/// # Examples
///
/// ```
/// use kernel::mm::{
///     folio::Folio,
///     swap::{NewFolio, Reads, SwapDevice},
///     swap_cache::{FreshFolio, Origin, Slot},
///     swapops::SwapEntry,
/// };
/// # use kernel::sync::aref::ARef;
///
/// // Fails with `EEXIST` if somebody else was faster.
/// fn add(slot: Slot<'_>, origin: &Origin<'_>) -> Result<NewFolio> {
///     let folio = FreshFolio::alloc(GFP_KERNEL, 0, origin).ok_or(ENOMEM)?;
///     let entered = slot.add_folio(folio)?;
///     Ok(entered.charge(origin)?.prepare_split()?.publish())
/// }
///
/// fn swapin(entry: SwapEntry, origin: &Origin<'_>) -> Result<ARef<Folio>> {
///     let device = SwapDevice::get(entry).ok_or(ENOENT)?;
///     let slot = device.slot();
///     match slot.folio() {
///         Some(folio) => Ok(folio),
///         None => Reads::together(|reads| Ok(add(slot, origin)?.read(reads))),
///     }
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Slot<'a> {
    // The value alone: with it the whole fits into two registers.
    entry: usize,
    cluster: NonNull<bindings::swap_cluster_info>,
    _device: PhantomData<&'a SwapDevice>,
}

impl SwapDevice {
    /// The slot that it was got by.
    #[inline]
    pub fn slot(&self) -> Slot<'_> {
        // SAFETY: The device is kept by our reference, and the slot within it.
        unsafe { Slot::from_raw(self.entry().as_raw()) }
    }
}

impl<'a> Slot<'a> {
    /// Calls `f` with the slot that a C caller has named.
    ///
    /// # Safety
    ///
    /// During the call the device of `entry` must not be taken out of use, and `entry` must lie within
    /// it: "the caller must ensure that the entry is valid and protect the swap device with a
    /// reference or locks", as C's callers are told in mm/swap.h.
    #[inline]
    pub unsafe fn with_raw<R>(
        entry: bindings::swp_entry_t,
        f: impl for<'b> FnOnce(Slot<'b>) -> R,
    ) -> R {
        // SAFETY: By the requirement, for as long as `f` can use it.
        f(unsafe { Slot::from_raw(entry) })
    }

    /// # Safety
    ///
    /// During `'a` the device of `entry` must not be taken out of use, and `entry` must lie within it.
    #[inline]
    unsafe fn from_raw(entry: bindings::swp_entry_t) -> Self {
        // INVARIANT: By the requirement; C finds the cluster of an entry by the device's table.
        Self {
            entry: entry.val,
            // SAFETY: By the requirement there is such a cluster; its address is never null.
            cluster: unsafe { NonNull::new_unchecked(bindings::swap_entry_to_cluster(entry)) },
            _device: PhantomData,
        }
    }

    /// The name of the slot, for C.
    #[inline]
    pub fn as_raw(self) -> bindings::swp_entry_t {
        bindings::swp_entry_t { val: self.entry }
    }

    /// Where the slot is in its cluster.
    #[inline]
    fn index(self) -> usize {
        index(self.as_raw())
    }

    /// The number of the slot on its device.
    #[inline]
    pub fn offset(self) -> usize {
        // SAFETY: Arithmetic on the value.
        unsafe { bindings::swp_offset(self.as_raw()) }
    }

    /// How many slots the device has, the one of its header included.
    #[inline]
    pub fn device_len(self) -> usize {
        // SAFETY: By the type invariant the device is there.
        (unsafe { (*bindings::swap_entry_to_info(self.as_raw())).max }) as usize
    }

    /// The slot at `offset` of the same device; none if it hasn't as many.
    #[inline]
    pub fn at(self, offset: usize) -> Option<Self> {
        if offset >= self.device_len() {
            return None;
        }
        // SAFETY: Arithmetic on the values; and the device is ours, and has such a slot.
        Some(unsafe {
            Self::from_raw(bindings::swp_entry(
                bindings::swp_type(self.as_raw()) as c_ulong,
                offset,
            ))
        })
    }

    /// What the slot's word says at this moment. Takes no lock.
    #[inline]
    pub fn word(self) -> SlotWord {
        // SAFETY: By the type invariant the cluster is there and has such a slot. C looks for the
        // table under RCU, and takes none for words that are all null.
        Native::decode(unsafe {
            bindings::swap_table_get(self.cluster.as_ptr(), self.index() as c_uint)
        })
    }

    /// The folio that the slot has in the swap cache, with a reference, not locked.
    ///
    /// It may have left meanwhile: who wants to use it has to lock it, and to look whether it still
    /// is the slot's. Takes no lock. Mirrors `swap_cache_get_folio()`.
    #[inline]
    pub fn folio(self) -> Option<ARef<Folio>> {
        self.try_folio()
            .unwrap_or_else(|Raced| self.folio_after_race())
    }

    /// As above: somebody was in the way before.
    #[cold]
    #[inline(never)]
    fn folio_after_race(self) -> Option<ARef<Folio>> {
        loop {
            if let Ok(folio) = self.try_folio() {
                return folio;
            }
        }
    }

    #[inline(always)] // in both
    fn try_folio(self) -> Result<Option<ARef<Folio>>, Raced> {
        let SlotWord::Folio(pfn, _) = self.word() else {
            return Ok(None);
        };
        crate::race_point!("lookup:before_folio_get");
        // SAFETY: A page frame that was in the swap cache a moment ago has its `struct page`: that
        // none is taken away meanwhile is what C's lookup relies on, too (see docs/safety.md). Its
        // count says whether it has a user; a reference is only got if it has one.
        let folio = unsafe {
            let folio = bindings::pfn_folio(pfn.get());
            if !bindings::folio_try_get(folio) {
                return Err(Raced);
            }
            // The reference was just got.
            ARef::from_raw(NonNull::new_unchecked(folio).cast::<Folio>())
        };
        // It may have been freed and used for something else before it was got.
        let SlotWord::Folio(pfn, _) = self.word() else {
            return Err(Raced);
        };
        // SAFETY: As above.
        let now = unsafe { bindings::pfn_folio(pfn.get()) };
        if now == folio.as_raw() {
            Ok(Some(folio))
        } else {
            Err(Raced)
        }
    }

    /// The first of the `2^order` slots, aligned, that this one is among; none if a cluster hasn't
    /// as many.
    #[inline]
    fn first(self, order: u32) -> Option<Self> {
        let nr = 1usize.checked_shl(order).filter(|&nr| nr <= CLUSTER)?;
        // INVARIANT: In the same cluster, which is aligned to its size, which `nr` divides.
        Some(Self {
            entry: self.entry & !nr.wrapping_sub(1),
            ..self
        })
    }

    /// Whether the `2^order` slots that this one is among could be given a folio. What is found out
    /// may be otherwise as soon as this returns. Fails as [`Slot::add_folio`] does, which also wants them
    /// to be of one cgroup: that isn't looked at here, as it is rarely what hinders. Takes the cluster's
    /// lock.
    ///
    /// Mirrors `__swap_cache_add_check()` as called before a folio is allocated.
    pub fn is_vacant(self, order: u32) -> Result {
        let first = self.first(order).ok_or(EINVAL)?;
        Locked::new(self)
            .vacancy::<false>(self, first, order)
            .map(drop)
    }

    /// Puts `folio` into the swap cache, locked, for as many slots as it has pages, aligned, this one
    /// among them: if all are in use, by the same cgroup, and alike zero or not.
    ///
    /// Fails with `EEXIST` if the slot has a folio, with `ENOENT` if it isn't in use, with `EBUSY`
    /// if it is one of the others that hinders, with `EINVAL` if there are too many. Takes the
    /// cluster's lock.
    #[inline]
    pub fn add_folio(self, folio: FreshFolio) -> Result<Entered<'a>> {
        let first = self.first(folio.order).ok_or(EINVAL)?;
        let cluster = Locked::new(self);
        let Vacant {
            words,
            shadow,
            memcg,
        } = cluster.vacancy::<true>(self, first, folio.order)?;
        let FreshFolio { ptr, gfp, .. } = *ManuallyDrop::new(folio);
        // SAFETY: By the invariant of `FreshFolio` nobody else knows the folio: its flags can be set
        // without care. By that of `Vacant` the slots' cluster is locked, and they are as many as it
        // has pages; they are free to be taken.
        unsafe {
            bindings::folio_init_swapin(ptr.as_ptr());
            enter(words, ptr);
            bindings::folio_enter_swapcache(ptr.as_ptr(), first.as_raw());
        }
        drop(cluster);
        // INVARIANT: As was just done; it is charged no more than before.
        let unpublished = Unpublished {
            ptr,
            shadow,
            memcg,
            _device: PhantomData,
        };
        Ok(Entered(unpublished, gfp))
    }
}

/// A folio has left its slot while it was looked up.
struct Raced;

/// Where a slot is in its cluster.
#[inline]
fn index(entry: bindings::swp_entry_t) -> usize {
    // SAFETY: Arithmetic on the value.
    (unsafe { bindings::swp_cluster_offset(entry) }) as usize
}

/// Slots that are free to be given a folio, for as long as their cluster is locked.
///
/// # Invariants
///
/// For `'l` the cluster of `words` is locked by us; they are as many as were asked for.
struct Vacant<'l> {
    /// The word of each.
    words: &'l [Atomic<usize>],
    /// What the slot that is wanted says about when its page was evicted.
    shadow: Shadow,
    /// The cgroup of all, if that was asked for, else 0.
    memcg: c_ushort,
}

/// The lock of a cluster, held by us.
///
/// # Invariants
///
/// The lock of `cluster` is held, and ours to release.
struct Locked<'a> {
    cluster: NonNull<bindings::swap_cluster_info>,
    _slot: PhantomData<Slot<'a>>,
    _not_send: NotThreadSafe,
}

impl<'a> Locked<'a> {
    #[inline]
    fn new(slot: Slot<'a>) -> Self {
        // SAFETY: By the invariant of `Slot` the cluster is there.
        unsafe { bindings::swap_cluster_spin_lock(slot.cluster.as_ptr()) };
        // INVARIANT: Just taken.
        Self {
            cluster: slot.cluster,
            _slot: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    /// Whether the `2^order` slots from `first` on, `target` among them, are free to be given a
    /// folio; and what is known of them then. With `MEMCG` they have to be of one cgroup, too.
    #[inline]
    fn vacancy<const MEMCG: bool>(
        &self,
        target: Slot<'_>,
        first: Slot<'_>,
        order: u32,
    ) -> Result<Vacant<'_>> {
        // SAFETY: The cluster is locked for as long as `self` is borrowed. If it has a table, that
        // stays: a slot is in use, as is seen below, and nobody but us could free it.
        let table = unsafe { table(self.cluster) }.ok_or(ENOENT)?;
        let at = target.index();
        let word = table.get(at).ok_or(EINVAL)?;
        let (shadow, flags) = match Native::decode(word.load(Relaxed)) {
            SlotWord::Folio(..) => return Err(EEXIST),
            SlotWord::Shadow(shadow, flags) if flags.count() > 0 => (shadow, flags),
            // Free, bad, or unheard of.
            _ => return Err(ENOENT),
        };
        let memcg = if MEMCG { self.memcg(at) } else { 0 };
        let mut words = core::slice::from_ref(word);
        if order > 0 {
            let zero = self.is_zero(at, flags);
            words = table
                .get(first.index()..)
                .and_then(|words| words.get(..1 << order))
                .ok_or(EINVAL)?;
            for (at, word) in (first.index()..CLUSTER).zip(words) {
                match Native::decode(word.load(Relaxed)) {
                    SlotWord::Shadow(_, flags)
                        if flags.count() > 0
                            && self.is_zero(at, flags) == zero
                            && (!MEMCG || self.memcg(at) == memcg) => {}
                    _ => return Err(EBUSY),
                }
            }
        }
        // INVARIANT: One, or as many as the loop has gone over.
        Ok(Vacant {
            words,
            shadow,
            memcg,
        })
    }

    /// The cgroup that a slot is charged to: its number.
    #[inline]
    fn memcg(&self, index: usize) -> c_ushort {
        // SAFETY: The cluster is locked and has such a slot: callers come from its table.
        unsafe { bindings::swap_cgroup_get(self.cluster.as_ptr(), index as c_uint) }
    }

    /// Whether a slot has the zero mark, wherever that is kept.
    #[inline]
    fn is_zero(&self, index: usize, flags: SlotFlags) -> bool {
        if Native::HAS_ZERO_MARK {
            return flags.is_zero();
        }
        // SAFETY: As above.
        unsafe { bindings::swap_table_test_zero(self.cluster.as_ptr(), index as c_uint) }
    }
}

impl Drop for Locked<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the lock is ours to release.
        unsafe { bindings::swap_cluster_unlock(self.cluster.as_ptr()) }
    }
}

/// The words of a cluster; none if it has no table.
///
/// # Safety
///
/// `cluster` must be locked during `'a`, and not lose its last slot: the table goes with that.
#[inline]
unsafe fn table<'a>(
    cluster: NonNull<bindings::swap_cluster_info>,
) -> Option<&'a [Atomic<usize>; CLUSTER]> {
    // SAFETY: By the requirement. A table has a word for each slot of a cluster. They are atomic in
    // C, too.
    unsafe {
        bindings::swap_cluster_table(cluster.as_ptr())
            .cast::<[Atomic<usize>; CLUSTER]>()
            .as_ref()
    }
}

/// The words of the `nr` slots from `first` on: fewer if the cluster hasn't as many.
///
/// # Safety
///
/// As for [`table`].
#[inline]
unsafe fn words<'a>(
    cluster: NonNull<bindings::swap_cluster_info>,
    first: usize,
    nr: usize,
) -> &'a [Atomic<usize>] {
    // SAFETY: By the requirements.
    let table: &[Atomic<usize>] = match unsafe { table(cluster) } {
        Some(table) => table,
        None => &[],
    };
    let rest = table.get(first..).unwrap_or(&[]);
    rest.get(..nr).unwrap_or(rest)
}

/// The number of a folio's first page frame, as words have it.
///
/// # Safety
///
/// `folio` must be alive.
#[inline]
unsafe fn pfn_of(folio: NonNull<bindings::folio>) -> Pfn {
    // SAFETY: By the requirement.
    let pfn = unsafe { bindings::folio_pfn(folio.as_ptr()) };
    crate::vm_warn_on_once!(pfn >> bindings::SWAP_TABLE_PFN_BITS != 0);
    Pfn::new(pfn)
}

/// Writes a folio into the words of slots, which keep their counts and zero marks; the swap cache
/// has a reference for each.
///
/// # Safety
///
/// The words' cluster must be locked, `folio` be locked by us, with as many pages as there are words.
#[inline]
unsafe fn enter(words: &[Atomic<usize>], folio: NonNull<bindings::folio>) {
    // SAFETY: By the requirements.
    let pfn = unsafe { pfn_of(folio) };
    let mut odd = false;
    for word in words {
        let flags = match Native::decode(word.load(Relaxed)) {
            SlotWord::Null => SlotFlags::NONE,
            SlotWord::Shadow(_, flags) => flags,
            // No call from here, which would keep all that the loop has on the stack.
            SlotWord::Folio(_, flags) => {
                odd = true;
                flags
            }
            _ => {
                odd = true;
                SlotFlags::NONE
            }
        };
        // Release: a new folio was marked as locked by a plain write, before which nobody may find it.
        // The cluster's lock doesn't order the two: it was taken before both.
        word.store(Native::encode(SlotWord::Folio(pfn, flags)), Release);
    }
    // SAFETY: The folio is alive.
    unsafe { bindings::folio_ref_add(folio.as_ptr(), words.len() as c_int) };
    if odd {
        had_folio();
    }
}

/// A slot that a folio enters has one, whose flags stay, or is not for use.
#[cold]
#[inline(never)]
fn had_folio() {
    crate::warn_on_once!(true);
}

/// A folio that leaves isn't in the word of one of its slots.
#[cold]
#[inline(never)]
fn left_elsewhere() {
    crate::warn_on_once!(true);
}

/// A folio that is replaced isn't in the word of one of the slots.
#[cold]
#[inline(never)]
fn replaced_elsewhere() {
    crate::warn_on_once!(true);
}

/// A folio enters slots that its cluster hasn't got.
#[cold]
#[inline(never)]
fn enters_outside() {
    crate::warn_on_once!(true);
}

/// A folio leaves slots that its cluster hasn't got.
#[cold]
#[inline(never)]
fn leaves_outside() {
    crate::warn_on_once!(true);
}

/// A folio takes over slots that the cluster hasn't got.
#[cold]
#[inline(never)]
fn replaced_outside() {
    crate::warn_on_once!(true);
}

/// A folio that was just allocated.
///
/// # Invariants
///
/// `ptr` is a folio of `2^order` pages with one reference, ours, which nobody else knows. It is charged
/// to no cgroup, and was allocated with `gfp`.
pub struct FreshFolio {
    ptr: NonNull<bindings::folio>,
    order: u32,
    gfp: Flags,
}

impl FreshFolio {
    /// Allocates a folio of `2^order` pages for `origin`. May sleep if `gfp` may. For more than a
    /// page, tries no harder than is right for a large folio. `__GFP_ACCOUNT` is ignored: the folio is
    /// charged when it has its slots, and to their cgroup.
    ///
    /// Mirrors `folio_alloc_mpol()` and `vma_alloc_folio()`.
    #[inline]
    pub fn alloc(gfp: Flags, order: u32, origin: &Origin<'_>) -> Option<Self> {
        if order > CLUSTER.ilog2() {
            return None; // no slots for that
        }
        let mut raw = gfp.as_raw() & !bindings::__GFP_ACCOUNT;
        // SAFETY: By its invariants `origin` has a fault and a policy that are null or stay. An
        // order of no more than a cluster is within the bits that C shifts by it.
        let ptr = NonNull::new(unsafe {
            bindings::swapin_alloc_folio(&mut raw, order, origin.vmf, origin.mpol, origin.ilx)
        })?;
        // SAFETY: C has made it of flags, for this allocation.
        let gfp = unsafe { Flags::from_raw(raw) };
        // INVARIANT: Just allocated, without accounting.
        Some(Self { ptr, order, gfp })
    }
}

impl Drop for FreshFolio {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is ours.
        unsafe { bindings::folio_put(self.ptr.as_ptr()) }
    }
}

/// On whose behalf a page is swapped in: a fault's, or that of a policy for where memory lies.
///
/// # Invariants
///
/// During `'a` `vmf` is null or a fault that is being handled, with its VMA locked; `mpol` is null
/// or a policy that stays.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    vmf: *mut bindings::vm_fault,
    mpol: *mut bindings::mempolicy,
    ilx: c_ulong,
    _p: PhantomData<&'a ()>,
}

impl Origin<'_> {
    /// Calls `f` with the fault and the policy of a C caller; either may be null.
    ///
    /// # Safety
    ///
    /// During the call the pointers must be as the type's invariants say.
    #[inline]
    pub unsafe fn with_raw<R>(
        vmf: *mut bindings::vm_fault,
        mpol: *mut bindings::mempolicy,
        ilx: c_ulong,
        f: impl for<'b> FnOnce(&Origin<'b>) -> R,
    ) -> R {
        // SAFETY: By the requirement, for as long as `f` can use it.
        f(&unsafe { Origin::from_raw(vmf, mpol, ilx) })
    }

    /// # Safety
    ///
    /// The pointers must be as the type's invariants say.
    #[inline]
    pub(super) unsafe fn from_raw(
        vmf: *mut bindings::vm_fault,
        mpol: *mut bindings::mempolicy,
        ilx: c_ulong,
    ) -> Self {
        // INVARIANT: By the requirement.
        Self {
            vmf,
            mpol,
            ilx,
            _p: PhantomData,
        }
    }
}

/// A folio that has entered the swap cache and that only we know what to do with.
///
/// Dropping it undoes that: the slots can be had as before. Those of a large folio all have the
/// shadow that the one which was wanted had.
///
/// # Invariants
///
/// `ptr` is a folio that is locked by us, with a reference of ours and one of the swap cache's for
/// each page, in the swap cache for slots of a device that stays during `'a`; not uptodate, not on a
/// list of reclaim's, and not counted.
struct Unpublished<'a> {
    // It knows its slots and its size: what isn't here takes no stack.
    ptr: NonNull<bindings::folio>,
    shadow: Shadow,
    memcg: c_ushort,
    _device: PhantomData<Slot<'a>>,
}

impl Unpublished<'_> {
    /// How many pages the folio has.
    #[inline]
    fn nr_pages(&self) -> c_long {
        // SAFETY: The folio is alive, and locked by us, so that nobody splits it.
        unsafe { bindings::folio_nr_pages(self.ptr.as_ptr()) }
    }
}

impl Drop for Unpublished<'_> {
    #[inline]
    fn drop(&mut self) {
        // By value: nothing of it need be in memory for this.
        //
        // SAFETY: By the type invariant.
        unsafe { undo(self.ptr, self.shadow) }
    }
}

/// # Safety
///
/// The arguments must be those of an [`Unpublished`] that isn't used any more.
#[cold]
#[inline(never)]
unsafe fn undo(ptr: NonNull<bindings::folio>, shadow: Shadow) {
    // SAFETY: By the type invariant the folio is locked by us, and in the swap cache for as many slots
    // as it has pages, whose device stays.
    let (nr, first) = unsafe {
        (
            bindings::folio_nr_pages(ptr.as_ptr()) as usize,
            Slot::from_raw(bindings::folio_swap(ptr.as_ptr())),
        )
    };
    let cluster = Locked::new(first);
    // SAFETY: The folio is locked by us and in the swap cache for these slots; the cluster is
    // locked.
    unsafe { leave(cluster.cluster, nr, ptr, first.as_raw(), shadow) };
    drop(cluster);
    // SAFETY: Lock and references are ours to give back: those of the swap cache, too, which the
    // folio has left.
    unsafe {
        bindings::folio_unlock(ptr.as_ptr());
        bindings::folio_put_refs(ptr.as_ptr(), nr.wrapping_add(1) as c_int);
    }
}

/// A folio in the swap cache that isn't charged yet. Dropping it undoes that it was added.
///
/// # Invariants
///
/// The folio is charged to no cgroup, and was allocated with `.1`.
#[must_use = "the folio leaves the swap cache at once if unused"]
pub struct Entered<'a>(Unpublished<'a>, Flags);

impl<'a> Entered<'a> {
    /// Charges the folio to the cgroup that its slots were charged to, with the flags that it was
    /// allocated with. May sleep if these may.
    ///
    /// Fails with `ENOMEM`. Mirrors `mem_cgroup_swapin_charge_folio()`.
    #[inline]
    pub fn charge(self, origin: &Origin<'_>) -> Result<Charged<'a>> {
        // SAFETY: The folio is alive, locked, nobody else's, and by the type invariant not charged;
        // the fault, if there is one, keeps its process.
        let ret = unsafe {
            bindings::mem_cgroup_swapin_charge_folio(
                self.0.ptr.as_ptr(),
                self.0.memcg,
                bindings::vmf_mm(origin.vmf),
                self.1.as_raw(),
            )
        };
        if ret == 0 {
            Ok(Charged(self.0))
        } else {
            Err(ENOMEM)
        }
    }
}

/// A folio in the swap cache that is charged. Dropping it undoes that it was added.
#[must_use = "the folio leaves the swap cache at once if unused"]
pub struct Charged<'a>(Unpublished<'a>);

impl<'a> Charged<'a> {
    /// Makes sure that the folio, if it is large, can be put on its cgroup's list of those to be
    /// split. May sleep. Fails with `ENOMEM`. Mirrors `folio_memcg_alloc_deferred()`.
    #[inline]
    pub fn prepare_split(self) -> Result<Splittable<'a>> {
        if self.0.nr_pages() > 2
            // SAFETY: The folio is alive, locked and charged.
            && unsafe { bindings::folio_prepare_split(self.0.ptr.as_ptr()) } != 0
        {
            return Err(ENOMEM);
        }
        Ok(Splittable(self.0))
    }
}

/// A folio in the swap cache that is charged, and could be split. Dropping it undoes that it was
/// added.
#[must_use = "the folio leaves the swap cache at once if unused"]
pub struct Splittable<'a>(Unpublished<'a>);

impl Splittable<'_> {
    /// Makes the folio known: counts it, and its refault, and puts it on reclaim's lists.
    #[inline]
    pub fn publish(self) -> NewFolio {
        let unpublished = ManuallyDrop::new(self.0);
        let ptr = unpublished.ptr.as_ptr();
        // SAFETY: By the invariant of `Unpublished` the folio is locked by us, in the swap cache,
        // with a reference that is ours to hand on, and hasn't been counted before. The shadow is
        // what C has left in the slot, or the empty one.
        unsafe {
            bindings::memcg1_swapin(ptr);
            bindings::workingset_refault(ptr, unpublished.shadow.as_ptr());
            bindings::folio_count_swapcache(ptr, unpublished.nr_pages());
            bindings::folio_add_lru(ptr);
            NewFolio::from_raw(ptr)
        }
    }
}

/// A folio in the swap cache with its cluster locked, too: it can leave, or give way to another.
///
/// # Invariants
///
/// The lock of `cluster`, in which the folio's slots are, is held during `'a`.
pub struct Pinned<'a, 'f> {
    folio: CachedFolio<'f>,
    cluster: NonNull<bindings::swap_cluster_info>,
    _locked: PhantomData<&'a ()>,
}

impl<'f> Pinned<'_, 'f> {
    /// # Safety
    ///
    /// `cluster` must be that of the folio's slots, and be locked while this is used.
    #[inline]
    pub unsafe fn from_raw(
        folio: CachedFolio<'f>,
        cluster: NonNull<bindings::swap_cluster_info>,
    ) -> Self {
        // INVARIANT: By the requirement.
        Self {
            folio,
            cluster,
            _locked: PhantomData,
        }
    }

    /// Takes the folio out of the swap cache, leaves `shadow` in its place, and frees those of its
    /// slots that have no other user: this may come back to whoever keeps data for slots.
    ///
    /// The references that the swap cache had are the caller's to put. With `swapout`, memory and
    /// swap space of old cgroups change places.
    ///
    /// Mirrors `__swap_cache_del_folio()`.
    ///
    /// # Safety
    ///
    /// The folio must be the caller's, not lent: nobody may take it to be in the swap cache any
    /// more. With `swapout` this must be reclaim, with the folio off its lists, its count frozen and
    /// interrupts disabled.
    #[inline]
    pub unsafe fn delete(self, shadow: Shadow, swapout: bool) {
        let entry = self.folio.swap();
        let nr = self.folio.nr_pages();
        let ptr = self.folio.as_ptr();
        // SAFETY: By the invariants the folio is locked and in the swap cache for `nr` slots from
        // `entry` on, which are in `cluster`, which is locked. No `Slots` of it is in use, since
        // those borrow what is `self.folio`. With `swapout` as required.
        unsafe {
            bindings::folio_count_swapcache(ptr.as_ptr(), (nr as c_long).wrapping_neg());
            if swapout {
                bindings::memcg1_swapout(ptr.as_ptr(), self.cluster.as_ptr());
            }
            leave(self.cluster, nr, ptr, entry.as_raw(), shadow);
        }
    }

    /// Puts `new` in place of the folio, for the slots that `new` says are its.
    ///
    /// Mirrors `__swap_cache_replace_folio()`.
    ///
    /// # Safety
    ///
    /// `new` must be locked by the caller, whose mark of that is ordered before this, and marked as in
    /// the swap cache, for slots that were this folio's, and have a reference for each. From now on the
    /// caller has to see to it that this folio, or what a split leaves of it, is no longer taken to have
    /// them.
    #[inline]
    pub unsafe fn replace_by(&self, new: NonNull<bindings::folio>) {
        let old = self.folio.pfn();
        // SAFETY: By the requirement the folio is locked, which keeps its fields. Our cluster is locked,
        // and keeps its table, as our folio has slots there.
        let (it, pfn, entry, nr, words) = unsafe {
            let it: &Folio = new.cast().as_ref();
            let nr = bindings::folio_nr_pages(new.as_ptr()) as usize;
            let entry = bindings::folio_swap(new.as_ptr());
            let words = words(self.cluster, index(entry), nr);
            (it, pfn_of(new), entry, nr, words)
        };
        crate::vm_warn_on_once_folio!(!it.is_in_swap_cache(), it);
        crate::vm_warn_on_once_folio!(!it.is_locked(), it);
        crate::vm_warn_on_once_folio!(entry.val == 0, it);
        if words.len() != nr {
            replaced_outside();
        }
        for word in words {
            let flags = match Native::decode(word.load(Relaxed)) {
                SlotWord::Folio(here, flags) if here == old => flags,
                _ => {
                    replaced_elsewhere();
                    continue;
                }
            };
            // Not Release, as in `enter`: by the requirement the lock's mark comes before.
            word.store(Native::encode(SlotWord::Folio(pfn, flags)), Relaxed);
        }
    }
}

impl CachedFolio<'_> {
    /// The number of the folio's first page frame.
    #[inline]
    fn pfn(&self) -> Pfn {
        // SAFETY: The folio is alive.
        unsafe { pfn_of(self.as_ptr()) }
    }

    /// Locks the cluster of the folio's slots, and takes the folio out of the swap cache, with the
    /// references that it had from there. It stays locked, and is the lock's holder's again.
    ///
    /// What only it had is lost: it must be clean, or its slots have no other user.
    ///
    /// Mirrors `swap_cache_del_folio()`.
    ///
    /// # Safety
    ///
    /// The folio must be the caller's, not lent: nobody may take it to be in the swap cache any
    /// more. The caller must have a reference of his own.
    #[inline]
    pub unsafe fn delete(self) {
        let nr = self.nr_pages();
        let ptr = self.as_ptr();
        // SAFETY: A folio that is locked and in the swap cache keeps its device. Its first slot's
        // cluster is that of all.
        unsafe {
            let cluster = Locked::new(Slot::from_raw(self.swap().as_raw()));
            Pinned::from_raw(self, cluster.cluster).delete(Shadow::NONE, false);
            drop(cluster);
            // The swap cache had a reference for each page.
            bindings::folio_ref_sub(ptr.as_ptr(), nr as c_int);
        }
    }
}

/// Takes a folio out of the words of its slots, and frees those that have no other user.
///
/// # Safety
///
/// `folio` must be locked by us and in the swap cache for the `nr` slots from `entry` on, which are
/// in `cluster`, which must be locked. Nobody may have evidence in use that they are his.
#[inline]
unsafe fn leave(
    cluster: NonNull<bindings::swap_cluster_info>,
    nr: usize,
    folio: NonNull<bindings::folio>,
    entry: bindings::swp_entry_t,
    shadow: Shadow,
) {
    let first = index(entry);
    // SAFETY: The folio is alive.
    let pfn = unsafe { pfn_of(folio) };
    if cfg!(CONFIG_DEBUG_VM) {
        // SAFETY: The folio is alive, and its device in use.
        let (folio, its) = unsafe {
            let folio: &Folio = folio.cast().as_ref();
            (folio, bindings::swap_entry_to_cluster(entry))
        };
        crate::vm_warn_on_once_folio!(its != cluster.as_ptr(), folio);
        crate::vm_warn_on_once_folio!(folio.is_under_writeback(), folio);
    }
    // SAFETY: The slots are in use, by the folio at least, and not freed before the loop is over.
    let words = unsafe { words(cluster, first, nr) };
    let (mut used, mut unused, mut understood) = (false, false, words.len() == nr);
    if !understood {
        leaves_outside();
    }
    for word in words {
        let flags = match Native::decode(word.load(Relaxed)) {
            SlotWord::Folio(here, flags) if here == pfn => flags,
            // Somebody else's: it isn't ours to touch, let alone to free.
            _ => {
                left_elsewhere();
                understood = false;
                continue;
            }
        };
        if flags.count() == 0 {
            unused = true;
        } else {
            used = true;
        }
        word.store(Native::encode(SlotWord::Shadow(shadow, flags)), Relaxed);
    }
    // SAFETY: As required; the words say so, too.
    unsafe { bindings::folio_leave_swapcache(folio.as_ptr()) };
    if !unused || !understood {
        return;
    }
    if used {
        // SAFETY: As found; they are the same slots.
        return unsafe { free_unused(cluster, first, nr, entry) };
    }
    // SAFETY: None of them has a user, and they have no folio any more. The device is in use: it has
    // slots that are.
    unsafe {
        bindings::__swap_cluster_free_entries(
            bindings::swap_entry_to_info(entry),
            cluster.as_ptr(),
            first as c_uint,
            nr as c_uint,
        )
    }
}

/// Frees those of a large folio's slots that have neither user nor folio.
///
/// # Safety
///
/// The `nr` slots at `first` in `cluster`, from `entry` on, must be allocated; it must be locked.
/// One of them at least must be in use.
#[cold]
#[inline(never)]
unsafe fn free_unused(
    cluster: NonNull<bindings::swap_cluster_info>,
    first: usize,
    nr: usize,
    entry: bindings::swp_entry_t,
) {
    // SAFETY: The one that is in use isn't freed here: the table stays.
    for (at, word) in (first..CLUSTER).zip(unsafe { words(cluster, first, nr) }) {
        if matches!(Native::decode(word.load(Relaxed)), SlotWord::Shadow(_, flags) if flags.count() == 0)
        {
            // SAFETY: It has neither user nor folio, and is in this cluster, whose device is in use.
            unsafe {
                bindings::__swap_cluster_free_entries(
                    bindings::swap_entry_to_info(entry),
                    cluster.as_ptr(),
                    at as c_uint,
                    1,
                )
            }
        }
    }
}

/// Puts a folio of a C caller's into the swap cache, and counts it.
///
/// Mirrors `__swap_cache_add_folio()`.
///
/// # Safety
///
/// `cluster` must be locked, `folio` be locked by the caller and not in the swap cache, and the slots
/// from `entry` on, as many as it has pages, be in `cluster`, without a folio, and the caller's.
#[inline]
pub unsafe fn add_from_c(
    cluster: NonNull<bindings::swap_cluster_info>,
    folio: NonNull<bindings::folio>,
    entry: bindings::swp_entry_t,
) {
    // SAFETY: The folio is alive.
    let it: &Folio = unsafe { folio.cast().as_ref() };
    crate::vm_warn_on_once_folio!(!it.is_locked(), it);
    crate::vm_warn_on_once_folio!(it.is_in_swap_cache(), it);
    crate::vm_warn_on_once_folio!(!it.is_swap_backed(), it);
    // SAFETY: By the requirement. The cluster has a table, which stays while slots are in use.
    unsafe {
        let nr = bindings::folio_nr_pages(folio.as_ptr());
        let words = words(cluster, index(entry), nr as usize);
        if words.len() != nr as usize {
            // C would write into what is next to the table.
            return enters_outside();
        }
        enter(words, folio);
        bindings::folio_enter_swapcache(folio.as_ptr(), entry);
        bindings::folio_count_swapcache(folio.as_ptr(), nr);
    }
}

/// Counts a swapin of a large folio that is tried with a smaller one instead.
///
/// Mirrors `count_mthp_stat()`.
#[inline]
pub fn count_fallback(order: u32, why: Fallback) {
    let item = match why {
        Fallback::Smaller => bindings::mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK,
        Fallback::Charge => bindings::mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK_CHARGE,
    };
    // SAFETY: The item is one of the enum; an order that isn't counted is left alone.
    unsafe { bindings::count_mthp_stat(order as c_int, item) }
}

/// What [`count_fallback`] counts.
#[derive(Clone, Copy)]
pub enum Fallback {
    /// A smaller folio is tried.
    Smaller,
    /// It was for the charge that it failed.
    Charge,
}

/// A page fault that is being handled. Mirrors `struct vm_fault`.
///
/// # Invariants
///
/// During `'a` the fault is being handled, with its VMA locked, and its `pmd` that of its address.
#[derive(Clone, Copy)]
pub struct Fault<'a> {
    vmf: NonNull<bindings::vm_fault>,
    _p: PhantomData<&'a ()>,
}

impl<'a> Fault<'a> {
    /// Calls `f` with a fault that a C caller handles.
    ///
    /// # Safety
    ///
    /// During the call `vmf` must be as the type's invariants say.
    #[inline]
    pub unsafe fn with_raw<R>(
        vmf: NonNull<bindings::vm_fault>,
        f: impl for<'b> FnOnce(Fault<'b>) -> R,
    ) -> R {
        // INVARIANT: By the requirement, for as long as `f` can use it.
        f(Fault {
            vmf,
            _p: PhantomData,
        })
    }

    /// The fault, for C to borrow.
    #[inline]
    pub fn as_raw(self) -> *mut bindings::vm_fault {
        self.vmf.as_ptr()
    }

    /// The VMA that it is in.
    #[inline]
    pub fn vma(self) -> &'a VmaRef {
        // SAFETY: By the type invariant.
        unsafe { VmaRef::from_raw(bindings::vmf_vma(self.vmf.as_ptr())) }
    }

    /// The address, rounded down to its page.
    #[inline]
    pub fn address(self) -> usize {
        // SAFETY: By the type invariant.
        unsafe { bindings::vmf_address(self.vmf.as_ptr()) }
    }
}

impl VmaRef {
    /// Calls `f` with a VMA that a C caller has lent; null is none.
    ///
    /// # Safety
    ///
    /// During the call `vma` must be null, or a VMA that is locked for reading: the VMA's own lock or
    /// that of its `mm`.
    #[inline]
    pub unsafe fn with_raw<R>(
        vma: *mut bindings::vm_area_struct,
        f: impl for<'b> FnOnce(Option<&'b VmaRef>) -> R,
    ) -> R {
        // SAFETY: By the requirement, for as long as `f` can use it.
        f((!vma.is_null()).then(|| unsafe { VmaRef::from_raw(vma) }))
    }

    /// What swap readahead has noted of the VMA: packed as [`mm/swap_state.c`] has it, 0 at first.
    ///
    /// [`mm/swap_state.c`]: srctree/mm/swap_state.c
    #[inline]
    pub fn swap_readahead_info(&self) -> &Atomic<isize> {
        // SAFETY: The VMA is there as long as `self`. It is an `atomic_long_t` in C, too.
        unsafe { &*bindings::vma_swap_readahead_info(self.as_ptr()).cast() }
    }
}

/// How much memory one page table maps, in bytes. Mirrors `PMD_SIZE`, which isn't a constant on every
/// machine.
#[inline]
pub fn page_table_span() -> usize {
    // SAFETY: No requirement.
    unsafe { bindings::page_table_span() }
}

/// Whether there is a swap device for which pages far apart cost time. Mirrors `nr_rotate_swap`.
#[inline]
pub fn has_rotating_device() -> bool {
    // SAFETY: No requirement.
    unsafe { bindings::swap_has_rotating_device() }
}
