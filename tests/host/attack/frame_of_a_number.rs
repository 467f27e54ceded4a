// SPDX-License-Identifier: GPL-2.0-or-later
// A page frame number made from any number.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::swap_table::Pfn;

pub fn attack(pfn: Pfn) -> Pfn {
    #[cfg(attack)]
    let pfn = Pfn::new(pfn.get() + 1); //~[attack] E0624
    pfn
}
