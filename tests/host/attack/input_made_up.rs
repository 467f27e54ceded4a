// SPDX-License-Identifier: GPL-2.0-or-later
// A scatterlist that is shorter than its claimed length.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::crypto::acompress::Input;

pub fn attack(input: Input<'_>) -> Input<'_> {
    #[cfg(attack)]
    return Input::from_raw(core::ptr::null_mut(), 4096); //~[attack] E0624
    input
}
