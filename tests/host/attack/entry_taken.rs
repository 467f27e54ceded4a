// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is taken out of its slot by who has only looked: decompressed after that, it is lost if that
// fails (C's order is a comment); or it is freed twice (docs/races.md: 10), or looked at for statistics
// when it is gone. Nobody but the abstraction takes.
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
