// SPDX-License-Identifier: GPL-2.0-or-later
// xa_load() returns a pointer to an object that may be freed at once: a caller that dereferences it
// has to prove that it isn't, with `unsafe`.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{prelude::*, xarray::XArray};

pub fn attack(tree: &XArray<KBox<u32>>) -> bool {
    let Some(found) = tree.load(0) else {
        return false;
    };
    #[cfg(attack)]
    return *found.cast::<u32>().as_ref() == 7; //~[attack] E0133
    let _ = found;
    true
}
