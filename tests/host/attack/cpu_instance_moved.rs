// SPDX-License-Identifier: GPL-2.0-or-later
// The value of an instance is moved while a CPU that comes up uses it. The instance itself may be
// moved: it only owns the memory.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::cpuhotplug::{Instance, Prepare};

pub fn attack<T: Prepare>(mut one: Instance<T>, mut other: Instance<T>) {
    core::mem::swap(&mut one, &mut other);
    #[cfg(attack)]
    core::mem::swap(&mut *one, &mut *other); //~[attack] E0596
                                             //~[attack]^ E0596
}
