// SPDX-License-Identifier: GPL-2.0-or-later
// The uncharged size differs from the charged one: counters underflow (docs/races.md: 6). The trait
// that returns an object's size is unsafe, and requires a constant.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::memcontrol::{ZswapCharged, ZswapObject};

pub struct Liar(core::cell::Cell<usize>);

#[cfg(attack)]
impl ZswapObject for Liar {
    //~[attack]^ E0200
    fn bytes(&self) -> usize {
        self.0.replace(self.0.get() * 2)
    }
}

#[cfg(control)]
pub fn lies(liar: Liar) -> usize {
    liar.0.get()
}

pub fn bytes<O: ZswapObject>(charged: &ZswapCharged<O>) -> usize {
    charged.bytes()
}
