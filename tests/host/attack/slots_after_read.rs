// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that is being read is the I/O's, which unlocks it at any time: what was found for its slot
// isn't to be kept.
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
