// SPDX-License-Identifier: GPL-2.0-or-later
// Allocation flags made from a number, for an allocation that must not sleep or reclaim.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{alloc::Flags, prelude::*};

pub fn attack() -> Flags {
    #[cfg(attack)]
    return Flags::from_raw(!0); //~[attack] E0133
    #[cfg(control)]
    return GFP_NOWAIT;
}
