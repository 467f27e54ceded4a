// SPDX-License-Identifier: GPL-2.0-or-later
// A folio is being added to the swap cache for a device that may be gone.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    error::Result,
    mm::{swap::SwapDevice, swap_cache::FreshFolio},
};

pub fn attack(device: SwapDevice, fresh: FreshFolio) -> Result<bool> {
    let entered = device.slot().add_folio(fresh)?;
    #[cfg(attack)]
    drop(device); //~[attack] E0505
    drop(entered);
    Ok(true)
}
