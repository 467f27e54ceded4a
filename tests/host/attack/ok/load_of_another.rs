// SPDX-License-Identifier: GPL-2.0-or-later
// Not harmless, and not excluded: a folio that is filled from an object other than that of the entry
// that is kept for its slot. The brand ties what was filled to the folio; what it was filled from is
// the policy's. Tests in the kernel compare every page.
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
