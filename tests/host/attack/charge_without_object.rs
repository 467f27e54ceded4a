// SPDX-License-Identifier: GPL-2.0-or-later
// The object is moved out of its charge and freed alone: the cgroup stays charged forever.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    memcontrol::ZswapCharged,
    zsmalloc::{HasPool, Object},
};

pub fn attack<P: HasPool>(charged: ZswapCharged<Object<P>>) -> usize {
    #[cfg(attack)]
    let object = charged.object; //~[attack] E0616
    #[cfg(attack)]
    drop(*charged);
    #[cfg(control)]
    let object = charged;
    object.len()
}
