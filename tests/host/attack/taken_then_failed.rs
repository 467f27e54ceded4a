// SPDX-License-Identifier: GPL-2.0-or-later
// A load takes the entry, and then fails: the page is lost, and the slot reads as the device's
// stale contents. Only the abstraction takes entries, when nothing can fail any more.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Note> {
    folio.load_exclusively::<Note>(|note, contents| {
        #[cfg(attack)]
        drop::<Note>(*note); //~[attack] E0507
        #[cfg(attack)]
        return Err(EIO);
        #[cfg(control)]
        let _: &Note = note;
        fill(from, contents)
    })
}
