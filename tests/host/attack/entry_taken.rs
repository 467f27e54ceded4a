// SPDX-License-Identifier: GPL-2.0-or-later
// A reader takes an entry out of its slot: decompressed after that, the page is lost on a failure
// (a comment in C has the order); or the entry is freed twice (docs/races.md: 10), or read for
// statistics after it is freed. Only the abstraction takes entries.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::folio::CachedFolio;

pub fn attack<'f>(folio: &'f mut CachedFolio<'f>) -> Option<u32> {
    let slot = folio.slots::<Note>().occupied(0)?;
    let number = slot.get().0;
    #[cfg(attack)]
    let entry = slot.take(); //~[attack] E0624
    Some(number)
}
