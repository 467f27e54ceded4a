// SPDX-License-Identifier: GPL-2.0-or-later
// The slot's page is all zeroes, and zswap isn't told: the entry is stale, and its writeback brings
// the old page back (docs/upstream). A caller that hasn't checked the mark can't write.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");
use kernel::mm::swap::NewFolio;

pub fn attack<P: HasPool>(folio: NewFolio, from: &Stored<P>) -> Result {
    #[cfg(control)]
    let folio = folio.check_zero_mark().map_err(|_| EINVAL)?;
    let written = folio.write::<Note>(|_, contents| fill(from, contents)); //~[attack] E0599
    written.map_err(|(_, error): (_, Error)| error)
}
