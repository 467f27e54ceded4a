// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers are a static: they would outlive an object that borrows, and lead to it after that.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]

pub struct Borrows<'a>(&'a u8);

#[cfg(control)]
kernel::impl_generation! { impl Generation for Borrows<'static> }
#[cfg(attack)]
kernel::impl_generation! { impl Generation for Borrows<'_> } //~[attack] E0478
                                                             //~[attack]^ E0495
