// SPDX-License-Identifier: GPL-2.0-or-later
// this_cpu() is no lock: a task that has migrated uses another CPU's value (docs/races.md: 4).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use core::cell::Cell;
use kernel::{
    percpu::PerCpu,
    prelude::*,
    sync::{Arc, Mutex},
};

fn shared<T: Sync>() {}

pub fn attack() -> Option<(Cell<u32>, Arc<()>)> {
    shared::<PerCpu<Mutex<u32>>>();
    #[cfg(attack)]
    shared::<PerCpu<Cell<u32>>>(); //~[attack] E0277
    None
}
