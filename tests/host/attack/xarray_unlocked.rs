// SPDX-License-Identifier: GPL-2.0-or-later
// xa_load() gives a pointer to what may be freed as it returns: who takes it for an element has to
// say why that isn't so.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{prelude::*, xarray::XArray};

pub fn attack(tree: &XArray<KBox<u32>>) -> bool {
    let Some(found) = tree.load(0) else {
        return false;
    };
    #[cfg(attack)]
    return *found.borrow() == 7; //~[attack] E0133
    let _ = found;
    true
}
