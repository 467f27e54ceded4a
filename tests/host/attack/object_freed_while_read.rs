// SPDX-License-Identifier: GPL-2.0-or-later
// zs_free() during a read of the object, whose memory is then reused.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::zsmalloc::{HasPool, Object};

pub fn attack<P: HasPool>(object: Object<P>) -> usize {
    object.read(|view| {
        //~[attack]^ E0505
        #[cfg(attack)]
        drop(object);
        view.len()
    })
}
