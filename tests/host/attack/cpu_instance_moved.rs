// SPDX-License-Identifier: GPL-2.0-or-later
// An instance on the hotplug core's list is moved: the next CPU that
// comes up calls into its old memory.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    cpuhotplug::{Instance, Prepare},
    prelude::*,
};

pub fn attack<T: Prepare>(instance: Pin<KBox<Instance<T>>>, place: Pin<&mut Instance<T>>) {
    #[cfg(attack)]
    let instance = Pin::into_inner(instance); //~[attack] E0277
    #[cfg(attack)]
    core::mem::swap(&mut *instance, place.get_mut()); //~[attack] E0277
    let (_, _) = (instance, place);
}
