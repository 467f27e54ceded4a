// SPDX-License-Identifier: GPL-2.0-or-later
// The I/O owns the folio and unlocks it; the policy reads or deletes it once more.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::Folio,
        swap::{NewFolio, Reads},
    },
    sync::aref::ARef,
};

pub fn attack(folio: NewFolio, reads: &mut Reads) -> ARef<Folio> {
    let read = folio.read(reads);
    #[cfg(attack)]
    folio.discard(); //~[attack] E0382
    read
}
