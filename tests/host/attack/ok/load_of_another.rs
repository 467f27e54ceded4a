// SPDX-License-Identifier: GPL-2.0-or-later
// Lost data, and not excluded: a folio is filled from an object other than that of the entry of
// its slot. The brand ties the filled contents to the folio; the policy chooses the source. Tests
// in the kernel compare every page.
//@ check-pass
#![forbid(unsafe_code)]
include!("../fill.in");

pub fn fill_from<'a, P: HasPool>(folio: UnreadFolio<'a>, other: &Stored<P>) -> Load<'a, Note> {
    folio.load_exclusively::<Note>(|_, contents| fill(other, contents))
}

pub fn write_from<P: HasPool>(folio: WritebackFolio, other: &Stored<P>) -> Result {
    folio
        .write::<Note>(|_, contents| fill(other, contents))
        .map_err(|(_, error)| error)
}
