// SPDX-License-Identifier: GPL-2.0-or-later
// An object of a type whose objects have no numbers: what takes a number for a reference to it
// finds nothing.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    prelude::*,
    sync::generations::{Detached, Generations},
};

pub struct Config {
    limit: u32,
}
#[cfg(control)]
kernel::impl_generation! { impl Generation for Config }

pub fn attack(list: &'static Generations<Config>) -> Result<Detached<Config>> {
    list.create(init!(Config { limit: 1 }? Error)) //~[attack] E0277
}
