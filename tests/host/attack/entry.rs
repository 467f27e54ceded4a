// SPDX-License-Identifier: GPL-2.0-or-later
// Entries that are stored for slots: how long they live, and which code may take them.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    bindings::{self, swp_entry_t},
    mm::{call::Call, fault::AllocContext, folio::CachedFolio, swapops::SwapEntry},
    prelude::*,
};
use zswap_core::{
    entry::{Entry, Identity},
    index::LeafCache,
    load_states::{Load, UnreadFolio},
    lru::Prepared,
    slots::{SlotEntry, Slots},
    store_batch::{store, StoreBatch},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// An entry that was stored is used after it was replaced by a newer one: a store takes the folio for itself.
#[cfg(any(control, entry_after_replace))]
pub mod entry_after_replace {
    use super::*;

    pub(crate) fn attack<'f>(
        folio: &'f mut CachedFolio<'f>,
        replace: fn(&mut StoreBatch<'f>) -> Result<Prepared<'f>>,
        leaves: &'static LeafCache,
    ) -> Option<Identity> {
        let found = Slots::new(folio).entry(0)?;
        #[cfg(control)]
        let identity = found.get().identity();
        #[cfg(control)]
        drop(found);
        drop(store(folio, leaves, replace, |error| error)); //~[entry_after_replace] E0499
        #[cfg(entry_after_replace)]
        let identity = found.get().identity();
        Some(identity)
    }
}

// An entry is used after its slot was given the zero mark, which frees the slot's entry.
#[cfg(any(control, entry_after_mark))]
pub mod entry_after_mark {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> Option<Identity> {
        let mut slots = Slots::new(folio);
        #[cfg(control)]
        slots.mark_zeroes(0..1);
        let found = slots.entry(0)?;
        #[cfg(entry_after_mark)]
        slots.mark_zeroes(0..1); //~[entry_after_mark] E0382
        Some(found.get().identity())
    }
}

// Two slots of a folio are open at a time, or one twice: the entry is taken while it is looked at.
#[cfg(any(control, entry_found_twice))]
pub mod entry_found_twice {
    use super::*;

    pub(crate) fn again(slots: &Slots<'_, '_>) -> usize {
        #[cfg(entry_found_twice)]
        let again = slots.reborrow(); //~[entry_found_twice] E0624
        slots.len()
    }

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> Option<Identity> {
        let slots = Slots::new(folio);
        let found = slots.entry(0)?;
        #[cfg(entry_found_twice)]
        let other = slots.entry(1); //~[entry_found_twice] E0382
        Some(found.get().identity())
    }
}

// A reference to an entry outlives the folio's lock, which keeps the entry.
#[cfg(any(control, entry_past_lock))]
pub mod entry_past_lock {
    use super::*;

    pub(crate) fn attack(folio: UnreadFolio<'_>) -> Load<'_> {
        let mut kept = None;
        let load = folio.load_exclusively(|entry, _| {
            #[cfg(entry_past_lock)]
            kept.replace(entry); //~[entry_past_lock] E0521
            #[cfg(control)]
            kept.replace(entry.identity());
            None
        });
        drop(kept);
        load
    }
}

// A reader takes an entry out of its slot: decompressed after that, the page is lost on a failure
// (a comment in C has the order); or the entry is freed twice (docs/races.md: 10), or read for
// statistics after it is freed. Only the mechanism takes entries.
#[cfg(any(control, entry_taken))]
pub mod entry_taken {
    use super::*;

    pub(crate) fn attack(slot: SlotEntry<'_>) -> Identity {
        let identity = slot.get().identity();
        #[cfg(entry_taken)]
        let entry = slot.take(); //~[entry_taken] E0624
        #[cfg(entry_taken)]
        let entry = slot.leaf.empty(0); //~[entry_taken] E0616
        identity
    }
}

// A swp_entry_t made from any number: zswap would look up the trees of a device beyond the last
// number that there can be. Bits that are unpacked name a device below that.
#[cfg(any(control, entry_of_a_number))]
pub mod entry_of_a_number {
    use super::*;

    pub fn attack(raw: swp_entry_t) -> SwapEntry {
        #[cfg(entry_of_a_number)]
        return SwapEntry::from_raw(raw); //~[entry_of_a_number] E0133
        SwapEntry::unpack(raw.val as u64)
    }
}

// The task that has the entry's folio and a walk over its list access an entry concurrently, without a common
// lock: the policy changes nothing in it but the second chance.
#[cfg(any(control, entry_changed))]
pub mod entry_changed {
    use super::*;

    pub(crate) fn attack(entry: &Entry, mut other: SlotEntry<'_>) -> bool {
        #[cfg(entry_changed)]
        let _ = &entry.object; //~[entry_changed] E0616
        #[cfg(entry_changed)]
        let _ = &entry.links; //~[entry_changed] E0616
        #[cfg(entry_changed)]
        let _: &mut Entry = other.get(); //~[entry_changed] E0308
        #[cfg(control)]
        let _: &Entry = other.get();
        entry.use_second_chance()
    }
}

// The policy keeps a fault's memory policy beyond the fault.
#[cfg(any(control, origin_kept))]
pub mod origin_kept {
    use super::*;

    #[cfg(control)]
    fn policy(_: &AllocContext<'_>) {}
    #[cfg(origin_kept)]
    fn policy(_: &AllocContext<'static>) {}

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub unsafe fn exports((vmf, mpol): (*mut bindings::vm_fault, *mut bindings::mempolicy)) {
        let call = Call::new();
        // SAFETY: The caller of this function guarantees the same.
        let context = unsafe { AllocContext::from_raw(0, vmf, mpol, 0, &call) }; //~[origin_kept] E0597
        policy(&context);
    }
}
