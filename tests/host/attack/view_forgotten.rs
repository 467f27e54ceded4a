// SPDX-License-Identifier: GPL-2.0-or-later
// zs_obj_read_sg_end() is never called: the object can't be moved any more, and on 32 bits a
// mapping leaks (docs/races.md: 19). A view is only lent, and so can't be forgotten.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::zsmalloc::{HasPool, Object};

pub fn attack<P: HasPool>(object: &Object<P>) -> usize {
    object.read(|view| {
        #[cfg(attack)]
        core::mem::forget(*view); //~[attack] E0507
        view.len()
    })
}
