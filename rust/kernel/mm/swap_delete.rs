// SPDX-License-Identifier: GPL-2.0

//! Removing folios from the swap cache, and replacing them.
//!
//! Both happen under the lock of the cluster that has the folio's slots: see
//! [`LockedCluster`]. A slot without another user is freed with its folio.
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
    /// Removes the folio from the swap cache, leaves `shadow` in its place, and frees those of its
    /// slots that have no other user. Freeing a slot calls back into zswap, to free its entry.
    ///
    /// The caller has to put the references that the swap cache had. With `swapout`, cgroup v1
    /// converts the charge for memory into one for swap.
    ///
    /// Mirrors `__swap_cache_del_folio()`.
    ///
    /// # Safety
    ///
    /// `cluster` must be the one of the folio's slots. The caller must own the folio, not borrow it:
    /// nothing may still rely on its being in the swap cache. With `swapout` the caller must be
    /// reclaim, with the folio off the LRU, its reference count frozen and interrupts disabled.
    #[inline]
    pub unsafe fn delete_locked(self, cluster: LockedCluster<'_>, shadow: Shadow, swapout: bool) {
        let entry = self.swap();
        let nr = self.nr_pages();
        let ptr = self.as_raw();
        // SAFETY: By the type invariant the folio is locked and in the swap cache for `nr` slots from
        // `entry` on, which are in `cluster`, which is locked. No `Slots` of it is in use, since a
        // `Slots` borrows `self`, which is consumed here. With `swapout` the caller is reclaim, with the
        // folio off the LRU, its count frozen and interrupts disabled.
        unsafe {
            bindings::folio_count_swapcache(ptr, (nr as c_long).wrapping_neg());
            if swapout {
                bindings::memcg1_swapout(ptr, cluster.as_raw());
            }
            leave(cluster, nr, self.folio(), entry.as_raw(), shadow);
        }
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
        let ptr = self.as_raw();
        // SAFETY: The device of a folio that is locked and in the swap cache isn't swapped off. All slots
        // of the folio are in one cluster.
        unsafe {
            let mut cluster = ClusterGuard::new(Slot::new(self.swap().as_raw()));
            self.delete_locked(cluster.locked(), Shadow::NONE, false);
            drop(cluster);
            // The swap cache had a reference for each page.
            bindings::folio_ref_sub(ptr, nr as c_int);
        }
    }

    /// Replaces the folio by `new`, for the slots that `new` names.
    ///
    /// Mirrors `__swap_cache_replace_folio()`.
    ///
    /// # Safety
    ///
    /// `cluster` must be the one of the folio's slots. `new` must be locked by the caller, with the
    /// locking ordered before this call. It must be marked as in the swap cache for slots that were
    /// this folio's, and have a reference for each. After the call the caller must ensure that
    /// nothing relies on this folio, or on what a split leaves of it, still having these slots.
    #[inline]
    pub unsafe fn replace_by(&self, cluster: LockedCluster<'_>, new: NonNull<bindings::folio>) {
        // SAFETY: The folio is alive, as it is locked by the caller, which keeps its fields stable.
        let (new_folio, entry, nr): (&Folio, _, _) = unsafe {
            let nr = bindings::folio_nr_pages(new.as_ptr()) as usize;
            (new.cast().as_ref(), bindings::folio_swap(new.as_ptr()), nr)
        };
        let (old, pfn) = (pfn_of(self.folio()), pfn_of(new_folio));
        let entries = cluster.entries(index(entry), nr);
        crate::vm_warn_on_once_folio!(!new_folio.is_in_swap_cache(), new_folio);
        crate::vm_warn_on_once_folio!(!new_folio.is_locked(), new_folio);
        crate::vm_warn_on_once_folio!(entry.val == 0, new_folio);
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
            // Relaxed, unlike where a folio enters: by the requirement the locking of `new` is ordered
            // before.
            entry.store(
                KernelLayout::encode(SwapTableEntry::Folio(pfn, flags)),
                Relaxed,
            );
        }
    }
}

/// Removes a folio from the swap-table entries of its slots, and frees the slots that have no other
/// user.
///
/// # Safety
///
/// `folio` must be locked by the caller and in the swap cache for the `nr` slots from `entry` on,
/// which are in `cluster`. No witness for these slots may be in use.
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
        // SAFETY: The folio's device is in use.
        let own = unsafe { bindings::swap_entry_to_cluster(entry) };
        crate::vm_warn_on_once_folio!(own != cluster.as_raw(), folio);
        crate::vm_warn_on_once_folio!(folio.is_under_writeback(), folio);
    }
    let entries = cluster.entries(first, nr);
    let (mut used, mut unused, mut understood) = (false, false, entries.len() == nr);
    if !understood {
        bad_table_entry(BadEntry::LeavesOutside);
    }
    for entry in entries {
        let flags = match KernelLayout::decode(entry.load(Relaxed)) {
            SwapTableEntry::Folio(here, flags) if here == pfn => flags,
            // Another owner's: this must not change it, let alone free the slot.
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
    // SAFETY: The folio is locked by the caller and was in the swap cache, as the swap-table entries confirm.
    unsafe { bindings::folio_leave_swapcache(folio.as_raw()) };
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
/// The `nr` slots at `first` in `cluster`, from `entry` on, must be allocated. At least one of the
/// slots must be in use.
#[cold]
#[inline(never)]
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
            // is in use. The slot in use isn't freed here, so the table stays.
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
