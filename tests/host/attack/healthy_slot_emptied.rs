// SPDX-License-Identifier: GPL-2.0-or-later
// The entry with the newest contents of its page is dropped, and the new folio with it: the page is
// lost. Only an entry of a slot with the zero mark can be dropped this way.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::swap::NewFolio;

pub fn attack(folio: NewFolio) -> bool {
    #[cfg(attack)]
    return folio.discard_stale::<Note>(); //~[attack] E0599
    match folio.check_zero_mark() {
        #[cfg(attack)]
        Ok(folio) => folio.discard_stale::<Note>(), //~[attack] E0599
        Ok(_) => false,
        Err(stale) => stale.discard_stale::<Note>(),
    }
}
