// SPDX-License-Identifier: GPL-2.0-or-later
// An entry that was stored is used after it was replaced by a newer one.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::{folio::CachedFolio, swap_slots::Leaves};

pub fn attack(folio: &mut CachedFolio<'_>, leaves: &'static Leaves<Note>) -> Result<u32> {
    let mut slots = folio.slots::<Note>();
    let one = KBox::new(Note(1), GFP_KERNEL)?;
    let two = KBox::new(Note(2), GFP_KERNEL)?;
    let (stored, old) = slots.replace(0, one, leaves, GFP_KERNEL)?;
    #[cfg(control)]
    let number = stored.0;
    drop(slots.replace(0, two, leaves, GFP_KERNEL)); //~[attack] E0499
    #[cfg(attack)]
    let number = stored.0;
    drop(old);
    Ok(number)
}
