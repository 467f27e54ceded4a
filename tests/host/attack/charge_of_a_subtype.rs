// SPDX-License-Identifier: GPL-2.0-or-later
// The uncharged size differs from the charged one, since a subtype returns another size for the
// object. (Each of the two types always returns the same size, as required.)
//@revisions: control attack
//@[control] check-pass
#![allow(coherence_leak_check)]
use kernel::mm::memcontrol::{ZswapCharged, ZswapObject};

pub struct Bytes<F>(F);
type First = Bytes<for<'a> fn(&'a u8)>;
type Second = Bytes<fn(&'static u8)>;

// SAFETY: It is a constant.
unsafe impl ZswapObject for First {
    fn bytes(&self) -> usize {
        17
    }
}
// SAFETY: It is a constant.
unsafe impl ZswapObject for Second {
    fn bytes(&self) -> usize {
        4096
    }
}

pub fn attack(charged: ZswapCharged<First>) {
    #[cfg(attack)]
    let charged: ZswapCharged<Second> = charged; //~[attack] E0308
    drop(charged);
}
