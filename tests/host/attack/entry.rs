// SPDX-License-Identifier: GPL-2.0-or-later
// Entries that are stored for slots: how long they live, and which code may take them.
//@[control] check-pass
#![deny(unsafe_code)]
use core::cell::Cell;
use kernel::{
    alloc::KBox,
    bindings::{self, swp_entry_t},
    impl_kept,
    mm::{folio::CachedFolio, swap_cache::Origin, swap_slots::Leaves, swapops::SwapEntry},
    sync::atomic::Atomic,
};

include!("fill.in");

// An entry that was stored is used after it was replaced by a newer one.
#[cfg(any(control, entry_after_replace))]
pub mod entry_after_replace {
    use super::*;

    pub fn attack(folio: &mut CachedFolio<'_>, leaves: &'static Leaves<Note>) -> Result<u32> {
        let mut slots = folio.slots::<Note>();
        let one = KBox::new(Note(1), GFP_KERNEL)?;
        let two = KBox::new(Note(2), GFP_KERNEL)?;
        let (stored, old) = slots.replace(0, one, leaves, GFP_KERNEL)?;
        #[cfg(control)]
        let number = stored.0;
        drop(slots.replace(0, two, leaves, GFP_KERNEL)); //~[entry_after_replace] E0499
        #[cfg(entry_after_replace)]
        let number = stored.0;
        drop(old);
        Ok(number)
    }
}

// An entry is used after its slot was given the zero mark, which frees the slot's entry.
#[cfg(any(control, entry_after_mark))]
pub mod entry_after_mark {
    use super::*;

    pub fn stored(folio: &mut CachedFolio<'_>, leaves: &'static Leaves<Note>) -> Result<u32> {
        let mut slots = folio.slots::<Note>();
        let note = KBox::new(Note(1), GFP_KERNEL)?;
        let (stored, old) = slots.replace(0, note, leaves, GFP_KERNEL)?;
        #[cfg(control)]
        let number = stored.0;
        slots.mark_zeroes(0..1); //~[entry_after_mark] E0499
        #[cfg(entry_after_mark)]
        let number = stored.0;
        drop(old);
        Ok(number)
    }

    pub fn found(folio: &mut CachedFolio<'_>) -> Option<u32> {
        let mut slots = folio.slots::<Note>();
        #[cfg(control)]
        slots.mark_zeroes(0..1);
        let found = slots.occupied(0)?;
        #[cfg(entry_after_mark)]
        slots.mark_zeroes(0..1); //~[entry_after_mark] E0382
        Some(found.get().0)
    }
}

// A reference to an entry outlives the folio's lock, which keeps the entry.
#[cfg(any(control, entry_past_lock))]
pub mod entry_past_lock {
    use super::*;

    pub fn attack(folio: UnreadFolio<'_>) -> Load<'_, Note> {
        let mut kept = None;
        let load = folio.load_exclusively::<Note>(|note, _| {
            #[cfg(entry_past_lock)]
            kept.replace(note); //~[entry_past_lock] E0521
            #[cfg(control)]
            kept.replace(note.0);
            Err(EIO)
        });
        drop(kept);
        load
    }
}

// A reader takes an entry out of its slot: decompressed after that, the page is lost on a failure
// (a comment in C has the order); or the entry is freed twice (docs/races.md: 10), or read for
// statistics after it is freed. Only the abstraction takes entries.
#[cfg(any(control, entry_taken))]
pub mod entry_taken {
    use super::*;

    pub fn attack<'f>(folio: &'f mut CachedFolio<'f>) -> Option<u32> {
        let slot = folio.slots::<Note>().occupied(0)?;
        let number = slot.get().0;
        #[cfg(entry_taken)]
        let entry = slot.take(); //~[entry_taken] E0624
        Some(number)
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

// The task that has the entry's folio and a walk over its list access an entry concurrently,
// without a common lock: its type must be `Sync`.
#[cfg(any(control, entries_not_shared))]
pub mod entries_not_shared {
    use super::*;

    #[cfg(entries_not_shared)]
    pub struct Entry(Cell<u32>);
    #[cfg(control)]
    pub struct Entry(Atomic<u32>);

    impl_kept! {
        impl Kept for Entry { owned: KBox<Entry>, name: c"attack" } //~[entries_not_shared] E0277
    }
}

// The policy keeps a fault's memory policy beyond the fault.
#[cfg(any(control, origin_kept))]
pub mod origin_kept {
    use super::*;

    #[cfg(control)]
    fn policy(_: &Origin<'_>) {}
    #[cfg(origin_kept)]
    fn policy(_: &Origin<'static>) {}

    /// # Safety
    ///
    /// As for the C ABI of the kernel.
    #[allow(unsafe_code)]
    pub unsafe fn exports((vmf, mpol): (*mut bindings::vm_fault, *mut bindings::mempolicy)) {
        // SAFETY: By the requirement.
        unsafe { Origin::with_raw(vmf, mpol, 0, |origin| policy(origin)) } //~[origin_kept] E0521
    }
}
