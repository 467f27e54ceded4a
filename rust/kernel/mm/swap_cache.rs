// SPDX-License-Identifier: GPL-2.0

//! The swap cache: which folio holds a slot's page, and how a folio enters and leaves.
//!
//! The slot's swap-cache folio alone serialises swap-in, swap-out and writeback of the slot:
//!
//! | step                                    | type                                               |
//! |-----------------------------------------|----------------------------------------------------|
//! | a slot, on a device that is kept        | [`Slot`]                                           |
//! | look up: a counted reference, no access | [`Slot::folio`]                                    |
//! | win the slots: add a locked folio       | [`Slot::add_folio`] gives [`Entered`]              |
//! | charge the folio                        | [`Entered::charge`] gives [`Charged`]              |
//! | prepare a large folio for a split       | [`Charged::prepare_split`] gives [`Splittable`]    |
//! | publish it: put it on the LRU           | [`Splittable::publish`] gives [`NewFolio`]         |
//! | fill it                                 | [`NewFolio::read`]                                 |
//! | remove it                               | [`Pinned::delete`]                                 |
//!
//! Each step consumes the one before, and dropping a step undoes it: a folio that can't be charged
//! leaves the swap cache as if it had never been there. Nothing here waits for a folio's lock.
//!
//! A cluster's lock is a spin lock, never taken in interrupt context. Reclaim takes it with
//! interrupts disabled. Under it nest the locks of freeing a slot, and those of cgroup v1 at
//! swap-out.
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

/// The largest window of VMA readahead, as a power of 2. Mirrors `SWAP_RA_ORDER_CEILING`.
pub const READAHEAD_MAX_ORDER: u32 = bindings::SWAP_RA_ORDER_CEILING;

/// A swap-table entry, as this kernel's configuration lays it out.
pub type SlotWord = Word<{ bindings::SWAP_TABLE_PFN_BITS as u32 }>;
type SlotFlags = swap_table::Flags<{ bindings::SWAP_TABLE_PFN_BITS as u32 }>;

/// A swap slot on a device that is kept.
///
/// Says nothing about the slot's users: the slot may be free.
///
/// # Invariants
///
/// During `'a` the device of `entry` isn't swapped off; `entry` lies within it, in `cluster`.
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
/// // Fails with `EEXIST` if another task was faster.
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
    // Only the value, so that a `Slot` fits into two registers.
    entry: usize,
    cluster: NonNull<bindings::swap_cluster_info>,
    _device: PhantomData<&'a SwapDevice>,
}

impl SwapDevice {
    /// The slot that the device was looked up by.
    #[inline]
    pub fn slot(&self) -> Slot<'_> {
        // SAFETY: Our reference keeps the device, and the slot lies within it.
        unsafe { Slot::from_raw(self.entry().as_raw()) }
    }
}

impl<'a> Slot<'a> {
    /// Calls `f` with the slot of an entry from C.
    ///
    /// # Safety
    ///
    /// During the call the device of `entry` must not be swapped off, and `entry` must lie within
    /// it. mm/swap.h asks the same of callers in C: "the caller must ensure that the entry is valid
    /// and protect the swap device with a reference or locks".
    #[inline]
    pub unsafe fn with_raw<R>(
        entry: bindings::swp_entry_t,
        f: impl for<'b> FnOnce(Slot<'b>) -> R,
    ) -> R {
        // SAFETY: The entry lies within its device, which is kept until `f`, which can't keep the slot, returns.
        f(unsafe { Slot::from_raw(entry) })
    }

    /// # Safety
    ///
    /// During `'a` the device of `entry` must not be swapped off, and `entry` must lie within it.
    #[inline]
    unsafe fn from_raw(entry: bindings::swp_entry_t) -> Self {
        // INVARIANT: The device is kept during `'a`, and the entry lies within it. C finds the cluster of an
        // entry in the device's table.
        Self {
            entry: entry.val,
            // SAFETY: The device is kept and has a cluster for the entry, whose address is never null.
            cluster: unsafe { NonNull::new_unchecked(bindings::swap_entry_to_cluster(entry)) },
            _device: PhantomData,
        }
    }

    /// The slot's entry, for C.
    #[inline]
    pub fn as_raw(self) -> bindings::swp_entry_t {
        bindings::swp_entry_t { val: self.entry }
    }

    /// The slot's index in its cluster.
    #[inline]
    fn index(self) -> usize {
        index(self.as_raw())
    }

    /// The slot's offset on its device.
    #[inline]
    pub fn offset(self) -> usize {
        // SAFETY: Arithmetic on the value.
        unsafe { bindings::swp_offset(self.as_raw()) }
    }

    /// The device's number of slots, including the one of its header.
    #[inline]
    pub fn device_len(self) -> usize {
        // SAFETY: By the type invariant the device exists.
        (unsafe { (*bindings::swap_entry_to_info(self.as_raw())).max }) as usize
    }

    /// The slot at `offset` of the same device; `None` if that is beyond its end.
    #[inline]
    pub fn at(self, offset: usize) -> Option<Self> {
        if offset >= self.device_len() {
            return None;
        }
        // SAFETY: Arithmetic on the values; the device is the same, and has such a slot.
        Some(unsafe {
            Self::from_raw(bindings::swp_entry(
                bindings::swp_type(self.as_raw()) as c_ulong,
                offset,
            ))
        })
    }

    /// The slot's current swap-table entry. Takes no lock.
    #[inline]
    pub fn word(self) -> SlotWord {
        // SAFETY: By the type invariant the cluster exists and has such a slot. C looks up the
        // table under RCU, and takes a missing table for entries that are all null.
        Native::decode(unsafe {
            bindings::swap_table_get(self.cluster.as_ptr(), self.index() as c_uint)
        })
    }

    /// The slot's swap-cache folio, with a reference, not locked.
    ///
    /// The folio may leave the swap cache at any time: to use it, the caller has to lock it and to
    /// recheck that it still is the slot's. Takes no lock. Mirrors `swap_cache_get_folio()`.
    #[inline]
    pub fn folio(self) -> Option<ARef<Folio>> {
        self.try_folio()
            .unwrap_or_else(|Raced| self.folio_after_race())
    }

    /// As above, after a race was lost.
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
        // SAFETY: A page frame that was in the swap cache a moment ago has its `struct page`. That
        // no `struct page` is removed meanwhile is what C's lookup relies on, too (see
        // docs/safety.md). The folio's reference count is zero if it has no user; a reference is
        // only taken if it has one.
        let folio = unsafe {
            let folio = bindings::pfn_folio(pfn.get());
            if !bindings::folio_try_get(folio) {
                return Err(Raced);
            }
            // The reference was just taken.
            ARef::from_raw(NonNull::new_unchecked(folio).cast::<Folio>())
        };
        // The folio may have been freed and reused before the reference was taken.
        let SlotWord::Folio(pfn, _) = self.word() else {
            return Err(Raced);
        };
        // SAFETY: The page frame was in the swap cache a moment ago, and so has its `struct page`. Only its
        // folio's address is computed.
        let now = unsafe { bindings::pfn_folio(pfn.get()) };
        if now == folio.as_raw() {
            Ok(Some(folio))
        } else {
            Err(Raced)
        }
    }

    /// The first of the `2^order` aligned slots that contain this one; `None` if a cluster has
    /// fewer.
    #[inline]
    fn first(self, order: u32) -> Option<Self> {
        let nr = 1usize.checked_shl(order).filter(|&nr| nr <= CLUSTER)?;
        // INVARIANT: In the same cluster, since `nr` divides the size of a cluster, to which
        // clusters are aligned.
        Some(Self {
            entry: self.entry & !nr.wrapping_sub(1),
            ..self
        })
    }

    /// Whether the `2^order` aligned slots that contain this one could get a folio. The answer may
    /// be stale as soon as this returns. Fails as [`Slot::add_folio`] does, which also requires the
    /// slots to belong to one cgroup: not checked here, since that rarely fails. Takes the
    /// cluster's lock.
    ///
    /// Mirrors `__swap_cache_add_check()`, as called before a folio is allocated.
    pub fn is_vacant(self, order: u32) -> Result {
        let first = self.first(order).ok_or(EINVAL)?;
        Locked::new(self)
            .vacancy::<false>(self, first, order)
            .map(drop)
    }

    /// Adds `folio` to the swap cache, locked, for as many aligned slots as it has pages, this slot
    /// among them. All of the slots must be in use, belong to the same cgroup, and agree in the
    /// zero mark.
    ///
    /// Fails with `EEXIST` if this slot has a folio, with `ENOENT` if it isn't in use, with `EBUSY`
    /// if another of the slots fails the checks, with `EINVAL` if there are too many. Takes the
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
        // SAFETY: By the invariant of `FreshFolio` nobody else has a reference to the folio, so its
        // flags may be set non-atomically. By that of `Vacant` the slots' cluster is locked, and
        // there are as many slots as the folio has pages; they have no folio.
        unsafe {
            bindings::folio_init_swapin(ptr.as_ptr());
            enter(words, ptr);
            bindings::folio_enter_swapcache(ptr.as_ptr(), first.as_raw());
        }
        drop(cluster);
        // INVARIANT: As was just done; the folio still isn't charged.
        let unpublished = Unpublished {
            ptr,
            shadow,
            memcg,
            _device: PhantomData,
        };
        Ok(Entered(unpublished, gfp))
    }
}

/// The folio left its slot during the lookup.
struct Raced;

/// A slot's index in its cluster.
#[inline]
fn index(entry: bindings::swp_entry_t) -> usize {
    // SAFETY: Arithmetic on the value.
    (unsafe { bindings::swp_cluster_offset(entry) }) as usize
}

/// Slots that can get a folio, as long as their cluster is locked.
///
/// # Invariants
///
/// During `'l` the cluster of `words` is locked by us; there are as many as requested.
struct Vacant<'l> {
    /// Their swap-table entries.
    words: &'l [Atomic<usize>],
    /// The shadow of the requested slot.
    shadow: Shadow,
    /// The cgroup of all slots, if requested, else 0.
    memcg: c_ushort,
}

/// A held cluster lock.
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
        // SAFETY: By the invariant of `Slot` the cluster exists.
        unsafe { bindings::swap_cluster_spin_lock(slot.cluster.as_ptr()) };
        // INVARIANT: Just taken.
        Self {
            cluster: slot.cluster,
            _slot: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    /// Checks that the `2^order` slots from `first` on, `target` among them, can get a folio, and
    /// returns what the check has found. With `MEMCG` they must also belong to one cgroup.
    #[inline]
    fn vacancy<const MEMCG: bool>(
        &self,
        target: Slot<'_>,
        first: Slot<'_>,
        order: u32,
    ) -> Result<Vacant<'_>> {
        // SAFETY: The cluster is locked as long as `self` is borrowed. If it has a table, the table
        // stays: a slot is in use, as checked below, and no other task can free it under the lock.
        let table = unsafe { table(self.cluster) }.ok_or(ENOENT)?;
        let at = target.index();
        let word = table.get(at).ok_or(EINVAL)?;
        let (shadow, flags) = match Native::decode(word.load(Relaxed)) {
            SlotWord::Folio(..) => return Err(EEXIST),
            SlotWord::Shadow(shadow, flags) if flags.count() > 0 => (shadow, flags),
            // Free, bad, or of an unknown kind.
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
        // INVARIANT: One, or as many as the loop has checked.
        Ok(Vacant {
            words,
            shadow,
            memcg,
        })
    }

    /// The ID of the cgroup that a slot is charged to.
    #[inline]
    fn memcg(&self, index: usize) -> c_ushort {
        // SAFETY: The cluster is locked and has such a slot: callers take the index from its table.
        unsafe { bindings::swap_cgroup_get(self.cluster.as_ptr(), index as c_uint) }
    }

    /// Whether a slot has the zero mark, in its swap-table entry or in the bitmap.
    #[inline]
    fn is_zero(&self, index: usize, flags: SlotFlags) -> bool {
        if Native::HAS_ZERO_MARK {
            return flags.is_zero();
        }
        // SAFETY: The cluster is locked and has such a slot: callers take the index from its table.
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

/// The swap table of a cluster; `None` if it has none.
///
/// # Safety
///
/// `cluster` must be locked during `'a`, and must not lose its last slot in use, with which the
/// table is freed.
#[inline]
unsafe fn table<'a>(
    cluster: NonNull<bindings::swap_cluster_info>,
) -> Option<&'a [Atomic<usize>; CLUSTER]> {
    // SAFETY: The cluster is locked during `'a`, and keeps a slot in use, and so its table. A table has an entry
    // for each slot of a cluster. The entries are atomic in C, too.
    unsafe {
        bindings::swap_cluster_table(cluster.as_ptr())
            .cast::<[Atomic<usize>; CLUSTER]>()
            .as_ref()
    }
}

/// The swap-table entries of the `nr` slots from `first` on; fewer if the cluster ends before.
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
    // SAFETY: The cluster is locked during `'a`, and keeps a slot in use.
    let table: &[Atomic<usize>] = match unsafe { table(cluster) } {
        Some(table) => table,
        None => &[],
    };
    let rest = table.get(first..).unwrap_or(&[]);
    rest.get(..nr).unwrap_or(rest)
}

/// The number of a folio's first page frame, as in swap-table entries.
///
/// # Safety
///
/// `folio` must be alive.
#[inline]
unsafe fn pfn_of(folio: NonNull<bindings::folio>) -> Pfn {
    // SAFETY: The caller keeps the folio alive.
    let pfn = unsafe { bindings::folio_pfn(folio.as_ptr()) };
    crate::vm_warn_on_once!(pfn >> bindings::SWAP_TABLE_PFN_BITS != 0);
    Pfn::new(pfn)
}

/// Writes a folio into swap-table entries, which keep their counts and zero marks. The swap cache
/// takes a reference for each.
///
/// # Safety
///
/// The cluster of `words` must be locked; `folio` must be locked by us, with as many pages as there
/// are swap-table entries.
#[inline]
unsafe fn enter(words: &[Atomic<usize>], folio: NonNull<bindings::folio>) {
    // SAFETY: The folio, which the caller has locked, is alive.
    let pfn = unsafe { pfn_of(folio) };
    let mut odd = false;
    for word in words {
        let flags = match Native::decode(word.load(Relaxed)) {
            SlotWord::Null => SlotFlags::NONE,
            SlotWord::Shadow(_, flags) => flags,
            // No call from here: it would force the loop's state onto the stack.
            SlotWord::Folio(_, flags) => {
                odd = true;
                flags
            }
            _ => {
                odd = true;
                SlotFlags::NONE
            }
        };
        // Release: a new folio was marked as locked by a plain write, which must be visible before
        // a lookup can find the folio. The cluster's lock doesn't order the two: it was taken
        // before both.
        word.store(Native::encode(SlotWord::Folio(pfn, flags)), Release);
    }
    // SAFETY: The folio is alive.
    unsafe { bindings::folio_ref_add(folio.as_ptr(), words.len() as c_int) };
    if odd {
        had_folio();
    }
}

/// A folio enters a slot that has a folio already, whose flags stay, or that isn't usable.
#[cold]
#[inline(never)]
fn had_folio() {
    crate::warn_on_once!(true);
}

/// A folio leaves, and one of its slots' swap-table entries has something else.
#[cold]
#[inline(never)]
fn left_elsewhere() {
    crate::warn_on_once!(true);
}

/// A folio is replaced, and one of the slots' swap-table entries has something else.
#[cold]
#[inline(never)]
fn replaced_elsewhere() {
    crate::warn_on_once!(true);
}

/// A folio enters slots beyond the end of its cluster.
#[cold]
#[inline(never)]
fn enters_outside() {
    crate::warn_on_once!(true);
}

/// A folio leaves slots beyond the end of its cluster.
#[cold]
#[inline(never)]
fn leaves_outside() {
    crate::warn_on_once!(true);
}

/// A folio takes over slots beyond the end of the cluster.
#[cold]
#[inline(never)]
fn replaced_outside() {
    crate::warn_on_once!(true);
}

/// A folio that was just allocated.
///
/// # Invariants
///
/// `ptr` is a folio of `2^order` pages with one reference, ours; nobody else knows it. It is
/// charged to no cgroup, and was allocated with `gfp`.
pub struct FreshFolio {
    ptr: NonNull<bindings::folio>,
    order: u32,
    gfp: Flags,
}

impl FreshFolio {
    /// Allocates a folio of `2^order` pages for `origin`. May sleep if `gfp` allows it. For more
    /// than a page, restricts `gfp` as C does for large folios. `__GFP_ACCOUNT` is ignored: the
    /// folio is charged once it has its slots, and to their cgroup.
    ///
    /// Mirrors `folio_alloc_mpol()` and `vma_alloc_folio()`.
    #[inline]
    pub fn alloc(gfp: Flags, order: u32, origin: &Origin<'_>) -> Option<Self> {
        if order > CLUSTER.ilog2() {
            return None; // more than a cluster's slots
        }
        let mut raw = gfp.as_raw() & !bindings::__GFP_ACCOUNT;
        // SAFETY: By its invariants the fault and the policy of `origin` are null or stay alive.
        // C's shifts by the order don't overflow, since it is at most a cluster's.
        let ptr = NonNull::new(unsafe {
            bindings::swapin_alloc_folio(&mut raw, order, origin.vmf, origin.mpol, origin.ilx)
        })?;
        // SAFETY: C has derived them from `gfp`, for this allocation.
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

/// The origin of a request to swap in: a fault, or a memory policy.
///
/// # Invariants
///
/// During `'a` `vmf` is null or a fault that is being handled, with its VMA locked; `mpol` is null
/// or a policy that stays alive.
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
    /// During the call the pointers must meet the type's invariants.
    #[inline]
    pub unsafe fn with_raw<R>(
        vmf: *mut bindings::vm_fault,
        mpol: *mut bindings::mempolicy,
        ilx: c_ulong,
        f: impl for<'b> FnOnce(&Origin<'b>) -> R,
    ) -> R {
        // SAFETY: The pointers are null, or good until `f`, which can't keep the origin, returns.
        f(&unsafe { Origin::from_raw(vmf, mpol, ilx) })
    }

    /// # Safety
    ///
    /// The pointers must meet the type's invariants.
    #[inline]
    pub(super) unsafe fn from_raw(
        vmf: *mut bindings::vm_fault,
        mpol: *mut bindings::mempolicy,
        ilx: c_ulong,
    ) -> Self {
        // INVARIANT: The caller has pointers as the type's invariants say, for `'a`.
        Self {
            vmf,
            mpol,
            ilx,
            _p: PhantomData,
        }
    }
}

/// A folio that has entered the swap cache and isn't published yet.
///
/// Dropping it removes the folio from the swap cache: its slots can get another folio. All slots of
/// a large folio then have the shadow of the requested one.
///
/// # Invariants
///
/// `ptr` is a folio that is locked by us, with one reference of ours and one of the swap cache for
/// each page, in the swap cache for slots of a device that is kept during `'a`. It isn't uptodate,
/// on no reclaim list, and not counted.
struct Unpublished<'a> {
    // The folio itself has its slots and its size; leaving them out saves stack.
    ptr: NonNull<bindings::folio>,
    shadow: Shadow,
    memcg: c_ushort,
    _device: PhantomData<Slot<'a>>,
}

impl Unpublished<'_> {
    /// The folio's number of pages.
    #[inline]
    fn nr_pages(&self) -> c_long {
        // SAFETY: The folio is alive, and locked by us, so that no task can split it.
        unsafe { bindings::folio_nr_pages(self.ptr.as_ptr()) }
    }
}

impl Drop for Unpublished<'_> {
    #[inline]
    fn drop(&mut self) {
        // By value, so that nothing has to be in memory for the call.
        //
        // SAFETY: By the type invariant.
        unsafe { undo(self.ptr, self.shadow) }
    }
}

/// # Safety
///
/// The arguments must be the fields of an [`Unpublished`] that isn't used any more.
#[cold]
#[inline(never)]
unsafe fn undo(ptr: NonNull<bindings::folio>, shadow: Shadow) {
    // SAFETY: By the type invariant the folio is locked by us, and in the swap cache for as many
    // slots as it has pages, whose device is kept.
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
    // SAFETY: The lock and the references are ours to release; those of the swap cache, too, since
    // the folio has left it.
    unsafe {
        bindings::folio_unlock(ptr.as_ptr());
        bindings::folio_put_refs(ptr.as_ptr(), nr.wrapping_add(1) as c_int);
    }
}

/// A folio in the swap cache that isn't charged yet. Dropping it removes the folio again.
///
/// # Invariants
///
/// The folio is charged to no cgroup, and was allocated with `.1`.
#[must_use = "the folio leaves the swap cache at once if unused"]
pub struct Entered<'a>(Unpublished<'a>, Flags);

impl<'a> Entered<'a> {
    /// Charges the folio to the cgroup of its slots, with the flags that it was allocated with. May
    /// sleep if these allow it.
    ///
    /// Fails with `ENOMEM`. Mirrors `mem_cgroup_swapin_charge_folio()`.
    #[inline]
    pub fn charge(self, origin: &Origin<'_>) -> Result<Charged<'a>> {
        // SAFETY: The folio is alive, locked, known to nobody else, and by the type invariant not
        // charged; the fault, if there is one, keeps its `mm`.
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

/// A folio in the swap cache that is charged. Dropping it removes the folio again.
#[must_use = "the folio leaves the swap cache at once if unused"]
pub struct Charged<'a>(Unpublished<'a>);

impl<'a> Charged<'a> {
    /// Makes sure that the folio, if it is large, can be put on its cgroup's deferred split queue.
    /// May sleep. Fails with `ENOMEM`. Mirrors `folio_memcg_alloc_deferred()`.
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

/// A folio in the swap cache that is charged, and can be split. Dropping it removes the folio
/// again.
#[must_use = "the folio leaves the swap cache at once if unused"]
pub struct Splittable<'a>(Unpublished<'a>);

impl Splittable<'_> {
    /// Publishes the folio: counts it and its refault, and puts it on the LRU.
    #[inline]
    pub fn publish(self) -> NewFolio {
        let unpublished = ManuallyDrop::new(self.0);
        let ptr = unpublished.ptr.as_ptr();
        // SAFETY: By the invariant of `Unpublished` the folio is locked by us and in the swap
        // cache, has a reference that is ours to pass on, and hasn't been counted before. The
        // shadow is one that C has left in the slot, or the empty one.
        unsafe {
            bindings::memcg1_swapin(ptr);
            bindings::workingset_refault(ptr, unpublished.shadow.as_ptr());
            bindings::folio_count_swapcache(ptr, unpublished.nr_pages());
            bindings::folio_add_lru(ptr);
            NewFolio::from_raw(ptr)
        }
    }
}

/// A folio in the swap cache, with its cluster also locked: it can leave or be replaced.
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
    /// `cluster` must be the one of the folio's slots, and stay locked while this is used.
    #[inline]
    pub unsafe fn from_raw(
        folio: CachedFolio<'f>,
        cluster: NonNull<bindings::swap_cluster_info>,
    ) -> Self {
        // INVARIANT: The cluster is that of the folio's slots, and stays locked while this is used.
        Self {
            folio,
            cluster,
            _locked: PhantomData,
        }
    }

    /// Removes the folio from the swap cache, leaves `shadow` in its place, and frees those of its
    /// slots that have no other user. Freeing a slot calls back into zswap, which keeps data for
    /// slots.
    ///
    /// The caller has to put the references that the swap cache had. With `swapout`, cgroup v1
    /// converts the charge for memory into one for swap.
    ///
    /// Mirrors `__swap_cache_del_folio()`.
    ///
    /// # Safety
    ///
    /// The caller must own the folio, not borrow it: nothing may still rely on its being in the
    /// swap cache. With `swapout` the caller must be reclaim, with the folio off the LRU, its
    /// reference count frozen and interrupts disabled.
    #[inline]
    pub unsafe fn delete(self, shadow: Shadow, swapout: bool) {
        let entry = self.folio.swap();
        let nr = self.folio.nr_pages();
        let ptr = self.folio.as_ptr();
        // SAFETY: By the invariants the folio is locked and in the swap cache for `nr` slots from
        // `entry` on, which are in `cluster`, which is locked. No `Slots` of it is in use, since a
        // `Slots` borrows what is consumed here as `self.folio`. With `swapout` the caller is reclaim, with the
        // folio off the LRU, its count frozen and interrupts disabled.
        unsafe {
            bindings::folio_count_swapcache(ptr.as_ptr(), (nr as c_long).wrapping_neg());
            if swapout {
                bindings::memcg1_swapout(ptr.as_ptr(), self.cluster.as_ptr());
            }
            leave(self.cluster, nr, ptr, entry.as_raw(), shadow);
        }
    }

    /// Replaces the folio by `new`, for the slots that `new` names.
    ///
    /// Mirrors `__swap_cache_replace_folio()`.
    ///
    /// # Safety
    ///
    /// `new` must be locked by the caller, with the locking ordered before this call. It must be
    /// marked as in the swap cache for slots that were this folio's, and have a reference for each.
    /// After the call the caller must ensure that nothing relies on this folio, or on what a split
    /// leaves of it, still having these slots.
    #[inline]
    pub unsafe fn replace_by(&self, new: NonNull<bindings::folio>) {
        let old = self.folio.pfn();
        // SAFETY: The caller has `new` locked, which keeps its fields stable; it is only checked. Our cluster is
        // locked, and keeps its table, as our folio has slots there.
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
            // Relaxed, unlike in `enter`: by the requirement the locking of `new` is ordered
            // before.
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

    /// Locks the cluster of the folio's slots, and removes the folio from the swap cache, with the
    /// swap cache's references. The folio stays locked.
    ///
    /// Contents that only the folio had are lost: it must be clean, or its slots have no other
    /// user.
    ///
    /// Mirrors `swap_cache_del_folio()`.
    ///
    /// # Safety
    ///
    /// The caller must own the folio, not borrow it: nothing may still rely on its being in the
    /// swap cache. The caller must also have its own reference.
    #[inline]
    pub unsafe fn delete(self) {
        let nr = self.nr_pages();
        let ptr = self.as_ptr();
        // SAFETY: A folio that is locked and in the swap cache keeps its device. All its slots are
        // in one cluster.
        unsafe {
            let cluster = Locked::new(Slot::from_raw(self.swap().as_raw()));
            Pinned::from_raw(self, cluster.cluster).delete(Shadow::NONE, false);
            drop(cluster);
            // The swap cache had a reference for each page.
            bindings::folio_ref_sub(ptr.as_ptr(), nr as c_int);
        }
    }
}

/// Removes a folio from the swap-table entries of its slots, and frees the slots that have no other
/// user.
///
/// # Safety
///
/// `folio` must be locked by us and in the swap cache for the `nr` slots from `entry` on, which are
/// in `cluster`, which must be locked. No witness for these slots may be in use.
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
        // SAFETY: The folio is alive, and its device is in use. The folio's count may be frozen: it is only
        // checked below.
        let (folio, its) = unsafe {
            let folio: &Folio = folio.cast().as_ref();
            (folio, bindings::swap_entry_to_cluster(entry))
        };
        crate::vm_warn_on_once_folio!(its != cluster.as_ptr(), folio);
        crate::vm_warn_on_once_folio!(folio.is_under_writeback(), folio);
    }
    // SAFETY: The slots are in use, at least by the folio, and aren't freed before the loop is
    // over.
    let words = unsafe { words(cluster, first, nr) };
    let (mut used, mut unused, mut understood) = (false, false, words.len() == nr);
    if !understood {
        leaves_outside();
    }
    for word in words {
        let flags = match Native::decode(word.load(Relaxed)) {
            SlotWord::Folio(here, flags) if here == pfn => flags,
            // Another owner's: we must not change it, let alone free it.
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
    // SAFETY: The folio is locked by us and was in the swap cache, as the swap-table entries confirm.
    unsafe { bindings::folio_leave_swapcache(folio.as_ptr()) };
    if !unused || !understood {
        return;
    }
    if used {
        // SAFETY: The loop has found a slot in use; they are the same slots.
        return unsafe { free_unused(cluster, first, nr, entry) };
    }
    // SAFETY: No slot has a user, nor a folio any more. The device is in use, since it has slots
    // that are.
    unsafe {
        bindings::__swap_cluster_free_entries(
            bindings::swap_entry_to_info(entry),
            cluster.as_ptr(),
            first as c_uint,
            nr as c_uint,
        )
    }
}

/// Frees the slots of a large folio that have neither a user nor a folio.
///
/// # Safety
///
/// The `nr` slots at `first` in `cluster`, from `entry` on, must be allocated, and `cluster` be
/// locked. At least one of the slots must be in use.
#[cold]
#[inline(never)]
unsafe fn free_unused(
    cluster: NonNull<bindings::swap_cluster_info>,
    first: usize,
    nr: usize,
    entry: bindings::swp_entry_t,
) {
    // SAFETY: The slot in use isn't freed here, so the table stays.
    for (at, word) in (first..CLUSTER).zip(unsafe { words(cluster, first, nr) }) {
        if matches!(Native::decode(word.load(Relaxed)), SlotWord::Shadow(_, flags) if flags.count() == 0)
        {
            // SAFETY: The slot has neither a user nor a folio, and is in this cluster, whose device
            // is in use.
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

/// Adds a C caller's folio to the swap cache, and counts it.
///
/// Mirrors `__swap_cache_add_folio()`.
///
/// # Safety
///
/// `cluster` must be locked. `folio` must be locked by the caller and not be in the swap cache. The
/// slots from `entry` on, as many as it has pages, must be in `cluster`, have no folio, and belong
/// to the caller.
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
    // SAFETY: The cluster is locked; it has a table, which stays while slots are in use. The folio is locked,
    // not in the swap cache, and has as many pages as there are slots, which are the caller's.
    unsafe {
        let nr = bindings::folio_nr_pages(folio.as_ptr());
        let words = words(cluster, index(entry), nr as usize);
        if words.len() != nr as usize {
            // C would write past the end of the table.
            return enters_outside();
        }
        enter(words, folio);
        bindings::folio_enter_swapcache(folio.as_ptr(), entry);
        bindings::folio_count_swapcache(folio.as_ptr(), nr);
    }
}

/// Counts a fallback of a large folio's swap-in to a smaller folio.
///
/// Mirrors `count_mthp_stat()`.
#[inline]
pub fn count_fallback(order: u32, why: Fallback) {
    let item = match why {
        Fallback::Smaller => bindings::mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK,
        Fallback::Charge => bindings::mthp_stat_item_MTHP_STAT_SWPIN_FALLBACK_CHARGE,
    };
    // SAFETY: The item is one of the enum; C ignores an order that isn't counted.
    unsafe { bindings::count_mthp_stat(order as c_int, item) }
}

/// The reason that [`count_fallback`] counts.
#[derive(Clone, Copy)]
pub enum Fallback {
    /// Any: a smaller folio is tried.
    Smaller,
    /// The charge failed.
    Charge,
}

/// A page fault that is being handled. Mirrors `struct vm_fault`.
///
/// # Invariants
///
/// During `'a` the fault is being handled, with its VMA locked, and its `pmd` is the one of its
/// address.
#[derive(Clone, Copy)]
pub struct Fault<'a> {
    vmf: NonNull<bindings::vm_fault>,
    _p: PhantomData<&'a ()>,
}

impl<'a> Fault<'a> {
    /// Calls `f` with a fault from C.
    ///
    /// # Safety
    ///
    /// During the call `vmf` must meet the type's invariants.
    #[inline]
    pub unsafe fn with_raw<R>(
        vmf: NonNull<bindings::vm_fault>,
        f: impl for<'b> FnOnce(Fault<'b>) -> R,
    ) -> R {
        // INVARIANT: The fault is being handled until `f`, which can't keep it, returns.
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

    /// The fault's VMA.
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
    /// Calls `f` with a VMA from C, or with `None` for null.
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
        // SAFETY: The VMA, if it isn't null, is locked until `f`, which can't keep it, returns.
        f((!vma.is_null()).then(|| unsafe { VmaRef::from_raw(vma) }))
    }

    /// The readahead state of the VMA, packed as in [`mm/swap_state.c`]; 0 at first.
    ///
    /// [`mm/swap_state.c`]: srctree/mm/swap_state.c
    #[inline]
    pub fn swap_readahead_info(&self) -> &Atomic<isize> {
        // SAFETY: The VMA lives as long as `self`. The field is an `atomic_long_t` in C, too.
        unsafe { &*bindings::vma_swap_readahead_info(self.as_ptr()).cast() }
    }
}

/// The size that one page table maps, in bytes. Mirrors `PMD_SIZE`, which isn't a constant on every
/// architecture.
#[inline]
pub fn page_table_span() -> usize {
    // SAFETY: No requirement.
    unsafe { bindings::page_table_span() }
}

/// Whether there is a rotating swap device, which seeks slowly. Mirrors `nr_rotate_swap`.
#[inline]
pub fn has_rotating_device() -> bool {
    // SAFETY: No requirement.
    unsafe { bindings::swap_has_rotating_device() }
}
