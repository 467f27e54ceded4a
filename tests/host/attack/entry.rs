// SPDX-License-Identifier: GPL-2.0-or-later
// Entries that are stored for slots: how long they live, and which code may take them.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    bindings::swp_entry_t,
    mm::{call::Call, fault::AllocContext, folio::CachedFolio, swapops::SwapEntry},
};
use zswap_core::slots::Slots;

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

include!("fill.in");

// A reference to an entry outlives the folio's lock, which keeps the entry.
#[cfg(any(control, entry_past_lock))]
pub mod entry_past_lock {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio) -> Result {
        let mut kept = None;
        let loaded = load(folio, |entry, _| {
            #[cfg(entry_past_lock)]
            kept.replace(entry); //~[entry_past_lock] E0521
            #[cfg(control)]
            kept.replace(entry.identity());
            None
        });
        drop(kept);
        loaded
    }
}

// A reader takes an entry out of its slot: decompressed after that, the page is lost on a failure
// (a comment in C has the order); or the entry is freed twice (docs/races.md: 10), or read for
// statistics after it is freed. Only the mechanism borrows and takes entries of a folio's slots.
#[cfg(any(control, entry_taken))]
pub mod entry_taken {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> bool {
        let slots = Slots::of_folio(folio);
        #[cfg(entry_taken)]
        let found = slots.get(0).is_some(); //~[entry_taken] E0624
        #[cfg(entry_taken)]
        drop(slots.entry(0).map(|entry| entry.take())); //~[entry_taken] E0624
        #[cfg(entry_taken)]
        let _: Option<zswap_core::slots::SlotEntry<'_>> = None; //~[entry_taken] E0603
        #[cfg(control)]
        let found = slots.are_filled();
        found
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

    pub(crate) fn attack(entry: &Entry) -> bool {
        #[cfg(entry_changed)]
        let _ = &entry.object; //~[entry_changed] E0616
        #[cfg(entry_changed)]
        let _ = &entry.links; //~[entry_changed] E0616
        entry.use_second_chance()
    }

    pub(crate) fn borrowed(folio: *mut bindings::folio) -> Result {
        load(folio, |entry, _| {
            #[cfg(entry_changed)]
            let entry: &mut Entry = entry; //~[entry_changed] E0308
            entry.use_second_chance();
            None
        })
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
