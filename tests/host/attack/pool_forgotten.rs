// SPDX-License-Identifier: GPL-2.0-or-later
// A pool is created, and neither made current nor destroyed: a leak in C.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    prelude::*,
    sync::generations::{Generation, Generations},
};

pub fn attack<T: Generation>(
    pools: &'static Generations<T>,
    init: impl PinInit<T, Error>,
) -> Result {
    #[cfg(attack)]
    pools.create(init)?; //~[attack] unused_must_use
    #[cfg(control)]
    drop(pools.create(init)?);
    Ok(())
}
