// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is used after its slot was given the zero mark, which drops what is kept for the slot.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::{folio::CachedFolio, swap_slots::Leaves};

pub fn stored(folio: &mut CachedFolio<'_>, leaves: &'static Leaves<Note>) -> Result<u32> {
    let mut slots = folio.slots::<Note>();
    let note = KBox::new(Note(1), GFP_KERNEL)?;
    let (stored, old) = slots.replace(0, note, leaves, GFP_KERNEL)?;
    #[cfg(control)]
    let number = stored.0;
    slots.mark_zeroes(0..1); //~[attack] E0499
    #[cfg(attack)]
    let number = stored.0;
    drop(old);
    Ok(number)
}

pub fn found(folio: &mut CachedFolio<'_>) -> Option<u32> {
    let mut slots = folio.slots::<Note>();
    #[cfg(control)]
    slots.mark_zeroes(0..1);
    let found = slots.occupied(0)?;
    #[cfg(attack)]
    slots.mark_zeroes(0..1); //~[attack] E0382
    Some(found.get().0)
}
