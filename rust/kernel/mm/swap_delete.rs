// SPDX-License-Identifier: GPL-2.0

//! Removing folios from the swap cache, and replacing them.
//!
//! Both require the lock of the cluster that contains the folio's slots: see [`LockedCluster`].
//! Removing a folio frees those of its slots that have no other user.
//!
//! C header: [`mm/swap.h`](srctree/mm/swap.h)

use crate::{
    bindings,
    mm::{
        folio::{
            CachedFolio,
            Folio, //
        },
        swap_cluster::{
            bad_table_entry,
            index,
            pfn_of,
            BadEntry,
            ClusterGuard,
            LockedCluster,
            Slot,
            SLOTS_PER_CLUSTER, //
        },
        swap_table::{
            KernelLayout,
            Shadow,
            SwapTableEntry, //
        },
    },
    prelude::*,
    sync::atomic::Relaxed, //
};
use core::ptr::NonNull;

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
    pub unsafe fn delete_locked(self, cluster: LockedCluster<'_>, shadow: Shadow, swapout: bool) {
        let entry = self.swap();
        let nr = self.nr_pages();
        let ptr = self.as_raw();
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
            leave(cluster, nr, self.folio(), entry.as_raw(), shadow);
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
        let nr = self.nr_pages();
        let ptr = self.as_raw();
        // SAFETY: The device of a folio that is locked and in the swap cache isn't swapped off. All
        // slots of the folio are in one cluster. The caller guarantees that no code relies on the
        // folio being in the swap cache, and that it has its own reference, so that the count
        // doesn't drop to 0.
        unsafe {
            let mut cluster = ClusterGuard::new(Slot::new(self.swap().as_raw()));
            self.delete_locked(cluster.locked(), Shadow::NONE, false);
            drop(cluster);
            // The swap cache had a reference for each page.
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
    pub unsafe fn replace_by(&self, cluster: LockedCluster<'_>, new: NonNull<bindings::folio>) {
        // SAFETY: The caller guarantees that `new` is locked, and so alive, and that its fields
        // don't change.
        let (new_folio, entry, nr): (&Folio, _, _) = unsafe {
            let nr = bindings::folio_nr_pages(new.as_ptr()) as usize;
            if cfg!(CONFIG_DEBUG_VM) {
                bindings::folio_check_replace(new.as_ptr());
            }
            (new.cast().as_ref(), bindings::folio_swap(new.as_ptr()), nr)
        };
        let (old, pfn) = (pfn_of(self.folio()), pfn_of(new_folio));
        let entries = cluster.entries(index(entry), nr);
        if entries.len() != nr {
            bad_table_entry(BadEntry::ReplacesOutside);
        }
        for entry in entries {
            let flags = match KernelLayout::decode(entry.load(Relaxed)) {
                SwapTableEntry::Folio(here, flags) if here == old => flags,
                _ => {
                    bad_table_entry(BadEntry::ReplacesForeign);
                    continue;
                }
            };
            // Relaxed, unlike for a folio that is added: the caller guarantees that the locking of
            // `new` is ordered before this.
            entry.store(
                KernelLayout::encode(SwapTableEntry::Folio(pfn, flags)),
                Relaxed,
            );
        }
    }
}

/// Removes a folio from the swap-table entries of its slots, and frees the slots that have no other
/// user. Mirrors `__swap_cache_do_del_folio()`.
///
/// # Safety
///
/// `folio` must be locked by the caller and in the swap cache for the `nr` slots from `entry` on,
/// which must be in `cluster`. No witness for these slots may be in use.
#[inline]
pub(super) unsafe fn leave(
    cluster: LockedCluster<'_>,
    nr: usize,
    folio: &Folio,
    entry: bindings::swp_entry_t,
    shadow: Shadow,
) {
    let first = index(entry);
    let pfn = pfn_of(folio);
    if cfg!(CONFIG_DEBUG_VM) {
        // SAFETY: The folio is alive, and its device is in use.
        unsafe { bindings::folio_check_delete(folio.as_raw(), entry, cluster.as_raw()) };
    }
    let entries = cluster.entries(first, nr);
    let (mut used, mut unused, mut understood) = (false, false, entries.len() == nr);
    if !understood {
        bad_table_entry(BadEntry::LeavesOutside);
    }
    for entry in entries {
        let flags = match KernelLayout::decode(entry.load(Relaxed)) {
            SwapTableEntry::Folio(here, flags) if here == pfn => flags,
            // Not the entry of this folio: this must neither change it nor free the slot.
            _ => {
                bad_table_entry(BadEntry::LeavesForeign);
                understood = false;
                continue;
            }
        };
        if flags.count() == 0 {
            unused = true;
        } else {
            used = true;
        }
        entry.store(
            KernelLayout::encode(SwapTableEntry::Shadow(shadow, flags)),
            Relaxed,
        );
    }
    // SAFETY: The caller guarantees that the folio is locked and was in the swap cache.
    unsafe { bindings::folio_leave_swapcache(folio.as_raw()) };
    if !unused || !understood {
        return;
    }
    if used {
        // SAFETY: The slots are allocated, as they had the folio. The loop has found one of them in
        // use.
        return unsafe { free_unused(cluster, first, nr, entry) };
    }
    // SAFETY: The slots have neither a user nor a folio any more. The device is in use, since its
    // slots were in use until now.
    unsafe {
        bindings::__swap_cluster_free_entries(
            bindings::swap_entry_to_info(entry),
            cluster.as_raw(),
            first as c_uint,
            nr as c_uint,
        )
    }
}

/// Frees the slots of a large folio that have neither a user nor a folio.
///
/// # Safety
///
/// The `nr` slots from index `first` in `cluster` on must be allocated. `entry` must be the swap
/// entry of the first of them. At least one of the slots must be in use.
unsafe fn free_unused(
    cluster: LockedCluster<'_>,
    first: usize,
    nr: usize,
    entry: bindings::swp_entry_t,
) {
    for (at, slot) in (first..SLOTS_PER_CLUSTER).zip(cluster.entries(first, nr)) {
        if matches!(KernelLayout::decode(slot.load(Relaxed)), SwapTableEntry::Shadow(_, flags) if flags.count() == 0)
        {
            // SAFETY: The slot has neither a user nor a folio, and is in this cluster, whose device
            // is in use. The slot in use isn't freed here, so the table isn't freed.
            unsafe {
                bindings::__swap_cluster_free_entries(
                    bindings::swap_entry_to_info(entry),
                    cluster.as_raw(),
                    at as c_uint,
                    1,
                )
            }
        }
    }
}
