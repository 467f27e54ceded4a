// SPDX-License-Identifier: GPL-2.0-or-later
// The static key is set back, or read as memory: its code is patched elsewhere.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use exports::glue;

pub(crate) fn attack() -> bool {
    #[cfg(attack)]
    let _ = &raw mut glue::zswap_ever_enabled; //~[attack] E0603
    glue::never_enabled()
}
