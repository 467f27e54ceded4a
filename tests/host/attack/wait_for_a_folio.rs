// SPDX-License-Identifier: GPL-2.0-or-later
// Writeback runs under another folio's lock: waiting for the folio that has won the slot is a
// deadlock (docs/races.md: 18). The task that comes second gets nothing to wait for, and there is
// no function that waits for a folio.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    error::Error,
    mm::{
        folio::Folio,
        swap::{Added, NewFolio, SwapDevice},
    },
    sync::aref::ARef,
};

pub fn attack(device: &SwapDevice, found: ARef<Folio>) -> Result<Option<NewFolio>, Error> {
    #[cfg(attack)]
    found.lock(); //~[attack] E0599
    let _ = found;
    match device.add_folio(GFP_KERNEL) {
        Added::New(folio) => Ok(Some(folio)),
        #[cfg(attack)]
        Added::Present(folio) => Ok(Some(folio)), //~[attack] E0532
        #[cfg(control)]
        Added::Present => Ok(None),
        Added::Failed(error) => Err(error),
    }
}
