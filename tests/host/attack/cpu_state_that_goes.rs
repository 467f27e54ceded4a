// SPDX-License-Identifier: GPL-2.0-or-later
// The state is unregistered while it has instances.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    cpuhotplug::{Instance, Prepare, State},
    prelude::*,
};

pub fn attack<T: Prepare>(stays: &'static State<T>, inner: T) -> Result<Instance<T>> {
    #[cfg(attack)]
    let stays = &kernel::builtin_cpu_state!(c"attack")?; //~[attack] E0716
    Instance::new(stays, inner)
}
