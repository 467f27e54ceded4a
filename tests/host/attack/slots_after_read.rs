// SPDX-License-Identifier: GPL-2.0-or-later
// The I/O owns a folio that is being read and unlocks it at any time: an object
// found for its slot must not be kept.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");
use kernel::mm::swap::NewFolio;

pub fn attack(folio: WritebackFolio) -> Option<NewFolio> {
    let mut kept = None;
    let written = folio.write::<Note>(|note, _| {
        #[cfg(attack)]
        kept.replace(note); //~[attack] E0521
        #[cfg(control)]
        kept.replace(note.0);
        Err(EINVAL)
    });
    let folio = written.err().map(|(folio, _)| folio);
    drop(kept);
    folio
}
