// SPDX-License-Identifier: GPL-2.0-or-later
// The object is read after zs_obj_read_sg_end(), when it may have moved (docs/races.md: 19).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::zsmalloc::{HasPool, Object};

pub fn attack<P: HasPool>(object: &Object<P>) -> bool {
    let input = object.read(|view| {
        #[cfg(attack)]
        return view.as_input(); //~[attack] ERROR: lifetime may not live long enough
                                //~[attack]^ ERROR: lifetime may not live long enough
        #[cfg(control)]
        view.len()
    });
    core::mem::size_of_val(&input) > 0
}
