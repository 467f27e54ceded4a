// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a step of adding a folio is dropped unused: charged, and never published.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::swap_cache::{Entered, Origin},
    prelude::*,
};

pub fn attack(entered: Entered<'_>, origin: &Origin<'_>) -> Result {
    #[cfg(attack)]
    entered.charge(origin)?; //~[attack] unused_must_use
    #[cfg(control)]
    drop(entered.charge(origin)?);
    Ok(())
}
