// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that was submitted to be written is no longer ours: its lock is dropped as the I/O
// starts.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<P: HasPool>(folio: NewFolio, trees: &'static Trees, from: &Stored<P>) -> Result {
    let written = folio.write_exclusively(|folio, contents| {
        let slot = folio.slots(trees).occupied(0).ok_or(ENOENT)?;
        Ok((fill(from, contents)?, slot.take()))
    });
    #[cfg(attack)]
    drop(folio); //~[attack] E0382
    written
}
