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
        folio::CachedFolio,
        mempolicy::VmaPolicy,
        swap::{Added, NewFolio, Reads, SwapDevice},
        swap_cache::{
            self, add_from_c, Charged, Entered, FreshFolio, Origin, Pinned, Slot, SlotWord,
            Splittable,
        },
        swap_table::{Native, Pfn, Shadow},
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

    pub fn is_there(added: &Added) -> bool {
        matches!(added, Added::Present)
    }
}

// A folio is added to the LRU, and passed to the workingset code, before a cgroup is charged.
#[cfg(any(control, charge_skipped))]
pub mod charge_skipped {
    use super::*;

    pub fn attack<'a>(entered: Entered<'a>, origin: &Origin<'_>) -> Result<Splittable<'a>> {
        #[cfg(charge_skipped)]
        return entered.prepare_split(); //~[charge_skipped] E0599
        entered.charge(origin)?.prepare_split()
    }
}

// A folio that was allocated where sleeping isn't allowed is charged with flags that allow it.
#[cfg(any(control, charge_by_other_flags))]
pub mod charge_by_other_flags {
    use super::*;

    pub fn attack<'a>(slot: Slot<'a>, origin: &Origin<'_>) -> Result<Charged<'a>> {
        let entered = slot.add_folio(FreshFolio::alloc(GFP_NOWAIT, 0, origin).ok_or(ENOMEM)?)?;
        #[cfg(charge_by_other_flags)]
        return entered.charge(origin, GFP_KERNEL); //~[charge_by_other_flags] E0061
        entered.charge(origin)
    }
}

// A large folio is published without its cgroup's deferred split queue: it is queued there later,
// where an allocation must not fail.
#[cfg(any(control, split_unprepared))]
pub mod split_unprepared {
    use super::*;

    pub fn attack(charged: Charged<'_>) -> Result<NewFolio, kernel::error::Error> {
        #[cfg(split_unprepared)]
        return Ok(charged.publish()); //~[split_unprepared] E0599
        let splittable: Splittable<'_> = charged.prepare_split()?;
        Ok(splittable.publish())
    }
}

// __swap_cache_alloc() puts a folio that it has already added: the
// swap cache then has a freed folio.
#[cfg(any(control, fresh_after_add))]
pub mod fresh_after_add {
    use super::*;

    pub fn attack<'a>(slot: Slot<'a>, fresh: FreshFolio) -> Result<Entered<'a>> {
        let entered = slot.add_folio(fresh);
        #[cfg(fresh_after_add)]
        drop(fresh); //~[fresh_after_add] E0382
        entered
    }
}

// The result of a step of adding a folio is dropped unused: charged, and never published.
#[cfg(any(control, step_forgotten))]
pub mod step_forgotten {
    use super::*;

    pub fn attack(entered: Entered<'_>, origin: &Origin<'_>) -> Result {
        #[cfg(step_forgotten)]
        entered.charge(origin)?; //~[step_forgotten] unused_must_use
        #[cfg(control)]
        drop(entered.charge(origin)?);
        Ok(())
    }
}

// A swap-table entry with a shadow is used as a folio: an address made from an eviction's timestamp
// (the XArray's xa_is_value() check is missing).
#[cfg(any(control, shadow_as_folio))]
pub mod shadow_as_folio {
    use super::*;

    pub fn attack(slot: Slot<'_>) -> Option<Pfn> {
        match slot.word() {
            SlotWord::Folio(pfn, _) => Some(pfn),
            #[cfg(shadow_as_folio)]
            SlotWord::Shadow(shadow, _) => Some(shadow), //~[shadow_as_folio] E0308
            _ => None,
        }
    }
}

// A swap-table entry is written without the cluster's lock, or with an invalid value.
#[cfg(any(control, word_written))]
pub mod word_written {
    use super::*;

    pub fn attack(slot: Slot<'_>) -> SlotWord {
        let word = slot.word();
        #[cfg(word_written)]
        let raw = Native::encode(word); //~[word_written] E0624
        #[cfg(control)]
        let raw = Native::HAS_ZERO_MARK;
        let _ = raw;
        word
    }
}

// A cluster is locked, and another one's swap-table entries are changed: "caller must lock the
// cluster". The policy can't name the lock.
#[cfg(any(control, cluster_lock))]
pub mod cluster_lock {
    use super::*;

    pub fn attack(slot: swap_cache::Slot<'_>) -> bool {
        #[cfg(cluster_lock)]
        let lock = swap_cache::Locked::new(slot); //~[cluster_lock] E0603
                                                  //~[cluster_lock]^ E0624
        #[cfg(control)]
        let lock = slot;
        let _ = lock;
        slot.is_vacant(0).is_ok()
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

// An allocation by a memory policy after mpol_cond_put().
#[cfg(any(control, origin_past_policy))]
pub mod origin_past_policy {
    use super::*;

    pub fn attack(policy: VmaPolicy<'_>) -> Option<FreshFolio> {
        let origin: Origin<'_> = policy.origin();
        #[cfg(origin_past_policy)]
        drop(policy); //~[origin_past_policy] E0505
        FreshFolio::alloc(kernel::alloc::flags::GFP_KERNEL, 0, &origin)
    }
}

// The entry points for C's callers, which own the slots or have frozen the folio: a folio is added
// without a check, replaced by any other one, deleted under its reader.
#[cfg(any(control, doors_of_c))]
pub mod doors_of_c {
    use super::*;

    pub fn attack(
        (one, two): (CachedFolio<'_>, Pinned<'_, '_>),
        new: NonNull<bindings::folio>,
        cluster: NonNull<bindings::swap_cluster_info>,
        entry: bindings::swp_entry_t,
    ) {
        #[cfg(doors_of_c)]
        {
            add_from_c(cluster, new, entry); //~[doors_of_c] E0133
            one.delete(); //~[doors_of_c] E0133
            two.replace_by(new); //~[doors_of_c] E0133
            two.delete(Shadow::NONE, true); //~[doors_of_c] E0133
        }
        #[cfg(control)]
        let _ = (
            add_from_c,
            Pinned::delete,
            one,
            two,
            new,
            cluster,
            entry,
            Shadow::NONE,
        );
    }
}
