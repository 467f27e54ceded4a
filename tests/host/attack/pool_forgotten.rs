// SPDX-License-Identifier: GPL-2.0-or-later
// A pool is created, and neither made current nor destroyed: a leak in C.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{prelude::*, sync::generations::Generations};

pub fn attack(
    pools: &'static Generations<KBox<u32>>,
    init: impl PinInit<KBox<u32>, Error>,
) -> Result {
    #[cfg(attack)]
    pools.create(init)?; //~[attack] unused_must_use
    #[cfg(control)]
    drop(pools.create(init)?);
    Ok(())
}
