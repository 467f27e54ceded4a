// SPDX-License-Identifier: GPL-2.0-or-later
// __swap_cache_alloc() puts a folio that it has already added: the
// swap cache then has a freed folio.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    error::Result,
    mm::swap_cache::{Entered, FreshFolio, Slot},
};

pub fn attack<'a>(slot: Slot<'a>, fresh: FreshFolio) -> Result<Entered<'a>> {
    let entered = slot.add_folio(fresh);
    #[cfg(attack)]
    drop(fresh); //~[attack] E0382
    entered
}
