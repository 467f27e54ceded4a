// SPDX-License-Identifier: GPL-2.0-or-later
// A refused store has cleared the slots, and then one is filled again: writeback of that entry
// overwrites newer data (docs/races.md: 12).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::{folio::CachedFolio, swap_slots::Leaves};

pub fn attack<'f>(folio: &'f mut CachedFolio<'f>, leaves: &'static Leaves<Note>) -> Result {
    #[cfg(control)]
    let cleared = folio.slots::<Note>().clear(drop);
    #[cfg(attack)]
    let cleared = folio.slots::<Note>().clear(|note| {
        //~[attack]^ E0500
        drop(folio.slots::<Note>().replace(0, note, leaves, GFP_KERNEL));
    });
    #[cfg(attack)]
    let mut slots = folio.slots::<Note>(); //~[attack] E0499
    #[cfg(attack)]
    drop(slots.replace(0, KBox::new(Note(1), GFP_KERNEL)?, leaves, GFP_KERNEL));
    let _ = cleared;
    Ok(())
}
