// SPDX-License-Identifier: GPL-2.0-or-later
// The shrinker visits an entry while another task changes it: since others may read an entry, no
// task gets exclusive access to it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::slab::{Managed, Object};

pub fn attack<T: Managed + Default>(mut object: Object<T>) -> Object<T> {
    #[cfg(attack)]
    let place: &mut T = &mut object.borrow(); //~[attack] E0596
    #[cfg(control)]
    let place = &mut object;
    let _ = place;
    object
}
