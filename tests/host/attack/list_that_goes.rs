// SPDX-License-Identifier: GPL-2.0-or-later
// The list is dropped while its pools still have to unlink themselves from it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    prelude::*,
    sync::generations::{Detached, Generation, Generations},
};

pub fn attack<T: Generation>(
    pools: Pin<KBox<Generations<T>>>,
    stays: &'static Generations<T>,
    init: impl PinInit<T, Error>,
) -> Result<Detached<T>> {
    #[cfg(attack)]
    let stays = pools.as_ref().get_ref(); //~[attack] E0597
    stays.create(init)
}
