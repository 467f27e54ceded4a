// SPDX-License-Identifier: GPL-2.0-or-later
// A reference to an entry outlives the folio's lock, which keeps the entry.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack(folio: UnreadFolio<'_>) -> Load<'_, Note> {
    let mut kept = None;
    let load = folio.load_exclusively::<Note>(|note, _| {
        #[cfg(attack)]
        kept.replace(note); //~[attack] E0521
        #[cfg(control)]
        kept.replace(note.0);
        Err(EIO)
    });
    drop(kept);
    load
}
