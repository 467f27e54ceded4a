// SPDX-License-Identifier: GPL-2.0-or-later
// Charges are collected for one call of C, and that call never comes, or comes twice: what collects
// them is only lent.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::memcontrol::{Uncharges, ZswapCharged, ZswapObject};

fn sent<T: Send>(_: T) {}

pub fn kept<O: ZswapObject>(mut object: ZswapCharged<O>) {
    #[cfg(attack)]
    {
        let mut kept = None;
        Uncharges::together(|uncharges| kept = Some(uncharges)); //~[attack] E0521
        let _ = Uncharges::together(|uncharges| uncharges); //~[attack] ERROR: lifetime may not live long enough
        Uncharges::together(|uncharges| core::mem::forget(*uncharges)); //~[attack] E0507
    }
    Uncharges::together(|uncharges| object.uncharge(uncharges));
}

#[cfg(attack)]
pub fn attack() {
    Uncharges::together(|uncharges| drop(uncharges.clone())); //~[attack] E0599
    Uncharges::together(|uncharges| drop(core::mem::take(uncharges))); //~[attack] E0277
    Uncharges::together(|uncharges| sent(uncharges)); //~[attack] E0277
}
