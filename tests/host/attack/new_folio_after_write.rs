// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that was submitted for writing is no longer ours: the
// lock is dropped when the I/O starts.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<P: HasPool>(folio: WritebackFolio, from: &Stored<P>) -> Result {
    let written = folio.write::<Note>(|_, contents| fill(from, contents));
    #[cfg(attack)]
    drop(folio); //~[attack] E0382
    written.map_err(|(_, error)| error)
}
