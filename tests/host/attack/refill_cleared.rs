// SPDX-License-Identifier: GPL-2.0-or-later
// A refused store has cleared the slots, and then one is filled again: writeback of that entry
// overwrites newer data (docs/races.md: 12).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::folio::CachedFolio;

pub fn attack<'f>(folio: &'f mut CachedFolio<'f>) -> Result {
    let cleared = folio.slots::<Note>().clear();
    #[cfg(attack)]
    let mut slots = folio.slots::<Note>(); //~[attack] E0499
    #[cfg(attack)]
    drop(slots.replace(0, KBox::new(Note(1), GFP_KERNEL)?, GFP_KERNEL));
    let _ = cleared;
    Ok(())
}
