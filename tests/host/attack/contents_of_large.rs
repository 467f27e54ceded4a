// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_load() fills the first page of a large folio, and reports all of it filled: "large folios
// should not be swapped in". Only the abstraction lends contents, never of a large folio.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Note> {
    #[cfg(attack)]
    let _ = folio.split().1.map(|contents| fill(from, contents)); //~[attack] E0624
    folio.load_exclusively::<Note>(|_, contents| fill(from, contents))
}
