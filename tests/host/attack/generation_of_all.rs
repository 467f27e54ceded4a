// SPDX-License-Identifier: GPL-2.0-or-later
// A static in generic code is one for all types: a number of one type's object would lead to an
// object of another type.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]

pub struct Any<T>(T);

kernel::impl_generation! { impl Generation for Any<u8> }
kernel::impl_generation! { impl Generation for Any<u16> }
#[cfg(attack)]
kernel::impl_generation! { impl Generation for Any<T> } //~[attack] E0412

impl<T: Send + Sync + 'static> Any<T> {
    pub fn attack() {
        #[cfg(attack)]
        kernel::impl_generation! { impl Generation for Any<(T,)> } //~[attack] E0401
        #[cfg(attack)]
        kernel::impl_generation! { impl Generation for Self } //~[attack] E0401
                                                              //~[attack]^ ERROR: `Self` is not valid
    }
}
