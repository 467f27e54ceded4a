// SPDX-License-Identifier: GPL-2.0-or-later
// Two concurrent decompressions into one page.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Note> {
    folio.load_exclusively::<Note>(|_, contents| {
        let filled = fill(from, contents)?;
        #[cfg(attack)]
        let filled = fill(from, contents)?; //~[attack] E0382
        Ok(filled)
    })
}
