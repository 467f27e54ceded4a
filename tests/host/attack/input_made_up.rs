// SPDX-License-Identifier: GPL-2.0-or-later
// A list of bytes that isn't as long as it says.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::crypto::acompress::Input;

pub fn attack(input: Input<'_>) -> Input<'_> {
    #[cfg(attack)]
    return Input::from_raw(core::ptr::null_mut(), 4096); //~[attack] E0624
    input
}
