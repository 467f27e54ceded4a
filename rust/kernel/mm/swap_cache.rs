// SPDX-License-Identifier: GPL-2.0

//! The swap cache: looking up the folio of a slot, removing and replacing it; references to swap
//! devices.
//!
//! The slot's swap-cache folio alone serialises swap-in, swap-out and writeback of the slot:
//!
//! | step                                        | type                                           |
//! |---------------------------------------------|------------------------------------------------|
//! | a slot, on a device that isn't swapped off  | [`Slot`]                                       |
//! | look up: a counted reference, no access     | [`Slot::folio`]                                |
//! | claim the slots: add a locked folio         | [`Slot::add_folio`] gives a [`NewFolio`]       |
//! | read its page, or ...                       | [`NewFolio::read`]                             |
//! | ... remove it again                         | dropping it                                    |
//! | remove or replace a folio that C has locked | [`CachedFolio::delete`] and others             |
//!
//! No function of this file waits for a folio's lock. Removing and replacing a folio require the
//! lock of the cluster that contains its slots: see [`LockedCluster`]. Removing a folio frees those
//! of its slots that have no other user.
//!
//! C headers: [`include/linux/swap.h`](srctree/include/linux/swap.h),
//! [`mm/swap.h`](srctree/mm/swap.h)
//!
//! [`NewFolio`]: super::swap_add::NewFolio
//! [`NewFolio::read`]: super::swap_add::NewFolio::read

use crate::{
    bindings,
    mm::{
        call::Call,
        folio::{
            CachedFolio,
            Folio,
            FolioRef, //
        },
        swap_cluster::{
            bad_table_entry,
            cluster_offset,
            pfn_of,
            BadEntry,
            LockedCluster,
            Slot, //
        },
        swap_table::{
            Shadow,
            SwapTableEntry, //
        },
        swapops::SwapEntry, //
    },
    prelude::*,
    sync::atomic::Relaxed,
    types::Opaque, //
};
use core::ptr::NonNull;

impl Slot<'_> {
    /// The slot's swap-cache folio, with a reference, not locked.
    ///
    /// The folio may be removed from the swap cache at any time: to use it, the caller has to lock
    /// it and to recheck that it is still the folio of the slot. Takes no lock. Mirrors
    /// `swap_cache_get_folio()`.
    #[inline]
    pub fn folio(self) -> Option<FolioRef> {
        self.try_folio()
            .unwrap_or_else(|Raced| self.folio_after_race())
    }

    /// As [`Slot::folio`], after a lookup that raced with a removal.
    fn folio_after_race(self) -> Option<FolioRef> {
        loop {
            if let Ok(folio) = self.try_folio() {
                return folio;
            }
        }
    }

    #[inline(always)] // make bench: a lookup takes 10 % more instructions otherwise
    fn try_folio(self) -> Result<Option<FolioRef>, Raced> {
        let SwapTableEntry::Folio(pfn, _) = self.table_entry() else {
            return Ok(None);
        };
        crate::race_point!("lookup:before_folio_get");
        // SAFETY: A page frame that was in the swap cache a moment ago has its `struct page`. Like
        // C's lookup, this relies on the memory not being hot-removed meanwhile. The reference
        // count of a folio without a user is zero; `folio_try_get()` takes a reference only if the
        // count isn't.
        let folio = unsafe {
            let folio = bindings::pfn_folio(pfn.get());
            if !bindings::folio_try_get(folio) {
                return Err(Raced);
            }
            // The reference was just taken.
            FolioRef::from_raw(NonNull::new_unchecked(folio))
        };
        // The folio may have been freed and reused before the reference was taken.
        let SwapTableEntry::Folio(pfn, _) = self.table_entry() else {
            return Err(Raced);
        };
        // SAFETY: The page frame was in the swap cache a moment ago, and so has its `struct page`.
        // This only computes the address of its folio.
        let now = unsafe { bindings::pfn_folio(pfn.get()) };
        if now == folio.as_raw() {
            Ok(Some(folio))
        } else {
            Err(Raced)
        }
    }
}

/// The folio was removed from its slot during the lookup.
struct Raced;

impl CachedFolio<'_> {
    /// Removes the folio from the swap cache, stores `shadow` in the swap-table entries of its
    /// slots, and frees those slots that have no other user. Freeing a slot calls zswap, which
    /// frees its entry. Doesn't sleep.
    ///
    /// The caller has to put the references of the swap cache. With `swapout`, cgroup v1 converts
    /// the charge for memory into a charge for swap.
    ///
    /// Mirrors `__swap_cache_del_folio()`.
    ///
    /// # Safety
    ///
    /// `cluster` must be the cluster of the folio's slots. The caller must hold the folio's lock
    /// for itself, not by a borrowed witness: no code may rely on the folio being in the swap cache
    /// after this. With `swapout` the caller must be reclaim, with the folio off the LRU, its
    /// reference count frozen and interrupts disabled.
    #[inline]
    pub unsafe fn delete_locked(self, cluster: &LockedCluster, shadow: Shadow, swapout: bool) {
        let (entry, nr, ptr) = (self.swap(), self.nr_pages(), self.as_raw());
        // SAFETY: By the type invariant the folio is locked and in the swap cache for `nr` slots
        // from `entry` on. The caller guarantees that these are in `cluster`, which is locked. No
        // `Slots` of the folio is in use, since a `Slots` borrows `self`, which is consumed here.
        // With `swapout` the caller guarantees that it is reclaim, with the folio off the LRU, its
        // count frozen and interrupts disabled.
        unsafe {
            bindings::folio_count_swapcache(ptr, (nr as c_long).wrapping_neg());
            if swapout {
                bindings::memcg1_swapout(ptr, cluster.as_raw());
            }
            leave(cluster, self.folio(), entry, nr, shadow);
        }
    }

    /// Locks the cluster of the folio's slots, removes the folio from the swap cache, and puts the
    /// swap cache's references. The folio stays locked. Doesn't sleep.
    ///
    /// Contents that only the folio has are lost: the folio must be clean, or its slots must have
    /// no other user.
    ///
    /// Mirrors `swap_cache_del_folio()`.
    ///
    /// # Safety
    ///
    /// The caller must hold the folio's lock for itself, not by a borrowed witness: no code may
    /// rely on the folio being in the swap cache after this. The caller must also have its own
    /// reference.
    #[inline]
    pub unsafe fn delete(self) {
        let (nr, ptr) = (self.nr_pages(), self.as_raw());
        // SAFETY: The device of a folio that is locked and in the swap cache isn't swapped off. All
        // slots of the folio are in one cluster. The caller guarantees that no code relies on the
        // folio being in the swap cache, and that it has its own reference, so that the count
        // doesn't drop to 0. The swap cache had a reference for each page.
        unsafe {
            Slot::new(self.swap())
                .locked(|cluster| self.delete_locked(cluster, Shadow::NONE, false));
            bindings::folio_ref_sub(ptr, nr as c_int);
        }
    }

    /// Replaces the folio by `new` in the swap-table entries of the slots of `new`. Doesn't sleep.
    ///
    /// Mirrors `__swap_cache_replace_folio()`.
    ///
    /// # Safety
    ///
    /// `cluster` must be the cluster of the folio's slots. `new` must be locked by the caller, with
    /// the locking ordered before this call. Its swap-cache flag and `new->swap` must be set, for
    /// slots that were this folio's, and it must have a reference for each of them. After the call
    /// the caller must ensure that no code relies on this folio, or on the folio that remains of it
    /// after a split, having these slots.
    #[inline]
    pub unsafe fn replace_by(&self, cluster: &LockedCluster, new: NonNull<bindings::folio>) {
        // SAFETY: The caller guarantees that `new` is locked, and so alive, and that its fields
        // don't change.
        let (new_folio, first, nr): (&Folio, _, _) = unsafe {
            if cfg!(CONFIG_DEBUG_VM) {
                bindings::folio_check_replace(new.as_ptr());
            }
            let nr = bindings::folio_nr_pages(new.as_ptr()) as usize;
            let first = SwapEntry::from_raw(bindings::folio_swap(new.as_ptr()));
            (new.cast().as_ref(), first, nr)
        };
        let (old, pfn) = (pfn_of(self.folio()), pfn_of(new_folio));
        let entries = cluster.entries(first, nr);
        if entries.len() != nr {
            bad_table_entry(BadEntry::ReplacesOutside);
        }
        for entry in entries {
            match SwapTableEntry::decode(entry.load(Relaxed)) {
                // Relaxed, unlike for a folio that is added: the caller guarantees that the locking
                // of `new` is ordered before this.
                SwapTableEntry::Folio(here, flags) if here == old => {
                    entry.store(SwapTableEntry::Folio(pfn, flags).encode(), Relaxed);
                }
                _ => bad_table_entry(BadEntry::ReplacesForeign),
            }
        }
    }
}

/// Removes a folio from the swap-table entries of its slots, and frees the slots that have no other
/// user. Mirrors `__swap_cache_do_del_folio()`.
///
/// # Safety
///
/// `folio` must be locked by the caller and in the swap cache for the `nr` slots from `first` on,
/// which must be in `cluster`. No witness for these slots may be in use.
#[inline]
pub(super) unsafe fn leave(
    cluster: &LockedCluster,
    folio: &Folio,
    first: SwapEntry,
    nr: usize,
    shadow: Shadow,
) {
    let pfn = pfn_of(folio);
    if cfg!(CONFIG_DEBUG_VM) {
        // SAFETY: The folio is alive, and its device is in use.
        unsafe {
            bindings::folio_check_delete(folio.as_raw(), first.as_raw(), cluster.as_raw());
        }
    }
    let entries = cluster.entries(first, nr);
    if entries.len() != nr {
        bad_table_entry(BadEntry::LeavesOutside);
    }
    // The slots whose entry is that of this folio, and those of them without another user.
    let (mut own, mut unused) = (0usize, 0usize);
    for entry in entries {
        match SwapTableEntry::decode(entry.load(Relaxed)) {
            SwapTableEntry::Folio(here, flags) if here == pfn => {
                own = own.wrapping_add(1);
                unused = unused.wrapping_add(usize::from(flags.count() == 0));
                entry.store(SwapTableEntry::Shadow(shadow, flags).encode(), Relaxed);
            }
            // This must neither change the entry nor free the slot.
            _ => bad_table_entry(BadEntry::LeavesForeign),
        }
    }
    // SAFETY: The caller guarantees that the folio is locked and was in the swap cache. All slots
    // are freed if they have neither a user nor a folio any more. Otherwise, those that aren't used
    // are freed if all are allocated, as they are if they had the folio, and one of them is in use.
    unsafe {
        bindings::folio_leave_swapcache(folio.as_raw());
        if unused == nr {
            free(cluster, first, nr)
        } else if unused > 0 && own == nr {
            free_unused(cluster, first, nr)
        }
    }
}

/// Frees the slots of a large folio that have neither a user nor a folio.
///
/// # Safety
///
/// The `nr` slots from `first` on must be in `cluster`, and allocated. At least one of them must be
/// in use.
unsafe fn free_unused(cluster: &LockedCluster, first: SwapEntry, nr: usize) {
    for (n, entry) in cluster.entries(first, nr).iter().enumerate() {
        if matches!(SwapTableEntry::decode(entry.load(Relaxed)), SwapTableEntry::Shadow(_, flags) if flags.count() == 0)
        {
            // SAFETY: The slot has neither a user nor a folio, and is in this cluster. The slot in
            // use isn't freed here, so the table isn't freed.
            unsafe { free(cluster, first.after(n), 1) }
        }
    }
}

/// Frees slots.
///
/// # Safety
///
/// The `nr` slots from `first` on must be in `cluster`, allocated, and have neither a user nor a
/// folio.
#[inline]
unsafe fn free(cluster: &LockedCluster, first: SwapEntry, nr: usize) {
    // SAFETY: The caller guarantees that the slots are in the cluster, and can be freed. The device
    // is in use, since its slots are in use until now.
    unsafe {
        bindings::__swap_cluster_free_entries(
            bindings::swap_entry_to_info(first.as_raw()),
            cluster.as_raw(),
            cluster_offset(first) as c_uint,
            nr as c_uint,
        )
    }
}

/// A reference to a swap device, with one of its slots: prevents swapoff of the device.
///
/// The slot is within the device. It may be free, or bad.
///
/// # Invariants
///
/// `si` is the device of `entry`, with a reference that is owned by this value; `entry` lies within
/// the device.
pub struct SwapDevice {
    si: NonNull<bindings::swap_info_struct>,
    pub(super) entry: SwapEntry,
}

impl SwapDevice {
    /// Takes a reference to the device of `entry`; `None` if the device is being swapped off, or
    /// has no such slot.
    ///
    /// Mirrors `get_swap_device()`.
    #[inline]
    pub fn get(entry: SwapEntry) -> Option<Self> {
        // SAFETY: C checks the entry.
        let si = NonNull::new(unsafe { bindings::get_swap_device(entry.as_raw()) })?;
        // INVARIANT: C has taken the reference, and checked that the entry lies within the device.
        Some(Self { si, entry })
    }

    /// The slot of the entry by which the device was looked up.
    #[inline]
    pub fn slot(&self) -> Slot<'_> {
        // SAFETY: The reference prevents swapoff, and the slot lies within the device.
        unsafe { Slot::new(self.entry) }
    }
}

impl Drop for SwapDevice {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is owned by this value.
        unsafe { bindings::put_swap_device(self.si.as_ptr()) }
    }
}

/// A batch of reads, which are started one after the other and submitted together. Mirrors `struct
/// swap_io_ctx`.
///
/// # Invariants
///
/// `.0` is initialised. The creator of this value submits the reads that were started with it.
#[repr(transparent)]
pub struct Reads(Opaque<bindings::swap_io_ctx>);

impl Reads {
    /// Calls `f` with an empty batch, and submits the reads that `f` has started with it. May
    /// sleep.
    ///
    /// Mirrors `swap_read_submit()`.
    #[inline]
    pub fn together<R>(f: impl FnOnce(&mut Self) -> R) -> R {
        // INVARIANT: C initialises it with zeroes, too. The reads are submitted below.
        let mut reads = Self(Opaque::new(bindings::swap_io_ctx {
            sio: core::ptr::null_mut(),
            sis: core::ptr::null_mut(),
        }));
        let ret = f(&mut reads);
        // SAFETY: By the type invariant the batch is initialised.
        unsafe { bindings::swap_read_submit(reads.as_raw()) };
        ret
    }

    /// The batch of a C caller.
    ///
    /// # Safety
    ///
    /// `ptr` must be initialised. During `'a` the caller must not access the batch other than by
    /// the result. Afterwards it must submit the reads.
    #[inline]
    #[allow(clippy::mut_from_ref)] // it is a reference to `ptr`, not to the call
    pub unsafe fn from_raw<'a>(ptr: *mut bindings::swap_io_ctx, _call: &'a Call) -> &'a mut Self {
        // SAFETY: The caller guarantees that the batch is initialised, and that only the result
        // accesses it during `'a`; `Self` is transparent.
        unsafe { &mut *ptr.cast() }
    }

    #[inline]
    pub(super) fn as_raw(&self) -> *mut bindings::swap_io_ctx {
        self.0.get()
    }
}
