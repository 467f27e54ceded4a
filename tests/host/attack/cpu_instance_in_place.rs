// SPDX-License-Identifier: GPL-2.0-or-later
// An instance is pinned in a MaybeUninit, whose memory is freed without a drop: the next CPU that comes
// up calls into freed memory. What lies on the hotplug core's list can't be named, so not initialised.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use core::mem::MaybeUninit;
#[cfg(control)]
use kernel::cpuhotplug::Instance as Registered;
#[cfg(attack)]
use kernel::cpuhotplug::Registered; //~[attack] E0603
use kernel::{
    cpuhotplug::{Prepare, State},
    prelude::*,
};
use pin_init::Wrapper;

pub fn attack<T: Prepare>(state: &'static State<T>, inner: T) -> Result {
    let init = MaybeUninit::<Registered<T>>::pin_init(Registered::new(state, inner));
    drop(KBox::pin_init(init, GFP_KERNEL)?);
    Ok(())
}
