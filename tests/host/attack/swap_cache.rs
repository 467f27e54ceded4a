// SPDX-License-Identifier: GPL-2.0-or-later
// The steps by which a folio gets into the swap cache, and out of it.
//@[control] check-pass
#![forbid(unsafe_code)]
use core::ptr::NonNull;
use kernel::{
    alloc::flags::GFP_KERNEL,
    bindings,
    error::Result,
    mm::{
        call::Call,
        fault::{AllocContext, Fault, Vma},
        folio::CachedFolio,
        swap_add::{add_from_c, NewFolio},
        swap_cache::{Reads, SwapDevice},
        swap_cluster::{LockedCluster, Slot},
        swap_table::{Pfn, Shadow, SwapTableEntry},
    },
    prelude::*,
};

// The result of swap_cache_alloc_folio() is dropped unused, which leaves the folio locked
// forever in C (docs/races.md: 2).
#[cfg(any(control, added_forgotten))]
pub mod added_forgotten {
    use super::*;

    pub fn attack(device: &SwapDevice) {
        #[cfg(added_forgotten)]
        device.add_folio(GFP_KERNEL); //~[added_forgotten] unused_must_use
        #[cfg(control)]
        drop(device.add_folio(GFP_KERNEL));
    }
}

// A folio that was allocated where sleeping isn't allowed is charged with flags that allow it.
#[cfg(any(control, charge_by_other_flags))]
pub mod charge_by_other_flags {
    use super::*;

    pub fn attack(slot: Slot<'_>, context: &AllocContext<'_>) -> Result<NewFolio> {
        #[cfg(charge_by_other_flags)]
        return slot.add_folio(0, context, GFP_KERNEL); //~[charge_by_other_flags] E0061
        slot.add_folio(0, context)
    }
}

// The folio that was added is dropped unused: it was charged and published for nothing.
#[cfg(any(control, new_folio_unused))]
pub mod new_folio_unused {
    use super::*;

    pub fn attack(slot: Slot<'_>, context: &AllocContext<'_>) -> Result {
        #[cfg(new_folio_unused)]
        slot.add_folio(0, context)?; //~[new_folio_unused] unused_must_use
        #[cfg(control)]
        drop(slot.add_folio(0, context)?);
        Ok(())
    }
}

// A swap-table entry with a shadow is used as a folio: an address made from an eviction's timestamp
// (the XArray's xa_is_value() check is missing).
#[cfg(any(control, shadow_as_folio))]
pub mod shadow_as_folio {
    use super::*;

    pub fn attack(slot: Slot<'_>) -> Option<Pfn> {
        match slot.table_entry() {
            SwapTableEntry::Folio(pfn, _) => Some(pfn),
            #[cfg(shadow_as_folio)]
            SwapTableEntry::Shadow(shadow, _) => Some(shadow), //~[shadow_as_folio] E0308
            _ => None,
        }
    }
}

// A swap-table entry is written without the cluster's lock, or with an invalid value.
#[cfg(any(control, table_entry_written))]
pub mod table_entry_written {
    use super::*;

    pub fn attack(slot: Slot<'_>) -> SwapTableEntry {
        let entry = slot.table_entry();
        #[cfg(table_entry_written)]
        let _ = entry.encode(); //~[table_entry_written] E0624
        entry
    }
}

// A cluster is locked, and another one's swap-table entries are changed: "caller must lock the
// cluster". The policy can't name the lock.
#[cfg(any(control, cluster_lock))]
pub mod cluster_lock {
    use super::*;

    pub fn attack(slot: Slot<'_>) -> bool {
        #[cfg(cluster_lock)]
        return slot.locked(|_| true); //~[cluster_lock] E0624
        slot.backing(0).is_ok()
    }
}

// Without swap_read_submit(), folios whose reads were started stay locked, and tasks
// that wait for them wait forever.
#[cfg(any(control, reads_never_submitted))]
pub mod reads_never_submitted {
    use super::*;

    pub fn attack() {
        #[cfg(reads_never_submitted)]
        let mut kept = None;
        Reads::together(|reads| {
            #[cfg(reads_never_submitted)]
            kept.replace(reads); //~[reads_never_submitted] E0521
            #[cfg(control)]
            let _ = reads;
        });
        #[cfg(reads_never_submitted)]
        drop(kept);
    }
}

// An allocation by a memory policy after mpol_cond_put(). It is only lent: a reference that can be forgotten
// wraps the count of a shared policy, after 2^32 - 1 times.
#[cfg(any(control, context_past_policy))]
pub mod context_past_policy {
    use super::*;

    pub fn attack(slot: Slot<'_>, vma: Vma<'_>, address: usize) -> Result<NewFolio> {
        let mut kept: Option<AllocContext<'_>> = None;
        let new = AllocContext::with_policy_of(vma, address, GFP_KERNEL, |context| {
            #[cfg(context_past_policy)]
            kept.replace(*context); //~[context_past_policy] E0521
            slot.add_folio(0, context)
        });
        kept.map_or(new, |context| slot.add_folio(0, &context))
    }
}

// The entry points for C's callers, which own the slots, have locked the cluster, or have frozen the folio: a
// folio is added without a check, replaced by any other one, deleted under its reader.
#[cfg(any(control, doors_of_c))]
pub mod doors_of_c {
    use super::*;

    pub fn attack(
        (one, two): (CachedFolio<'_>, CachedFolio<'_>),
        new: NonNull<bindings::folio>,
        cluster: *mut bindings::swap_cluster_info,
        locked: &LockedCluster,
        entry: bindings::swp_entry_t,
    ) {
        #[cfg(doors_of_c)]
        {
            let call = Call::new();
            let _ = Slot::from_raw(entry, &call); //~[doors_of_c] E0133
            let _ = LockedCluster::from_raw(cluster, &call); //~[doors_of_c] E0133
            add_from_c(locked, new, entry); //~[doors_of_c] E0133
            two.replace_by(locked, new); //~[doors_of_c] E0133
            two.delete_locked(locked, Shadow::NONE, true); //~[doors_of_c] E0133
            one.delete(); //~[doors_of_c] E0133
        }
        #[cfg(control)]
        let _ = (
            add_from_c,
            CachedFolio::delete_locked,
            one,
            two,
            new,
            (cluster, locked),
            entry,
            Shadow::NONE,
        );
    }
}

// A fault's VMA has the kernel crate's own method that discards its pages. The policy gets a narrower view.
#[cfg(any(control, pages_discarded))]
pub mod pages_discarded {
    use super::*;

    pub fn attack(fault: Fault<'_>) -> bool {
        let vma = fault.vma();
        #[cfg(pages_discarded)]
        vma.zap_vma_range(fault.address(), 1); //~[pages_discarded] E0599
        vma.is_anonymous()
    }
}
