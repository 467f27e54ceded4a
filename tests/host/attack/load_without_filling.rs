// SPDX-License-Identifier: GPL-2.0-or-later
// folio_mark_uptodate() on a page that was never written: the process sees stale memory.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Note> {
    folio.load_exclusively::<Note>(|_, contents| {
        #[cfg(attack)]
        let filled = contents;
        #[cfg(control)]
        let filled = fill(from, contents)?;
        Ok(filled) //~[attack] E0308
    })
}
