// SPDX-License-Identifier: GPL-2.0-or-later
// xa_load() gives a pointer to what may be freed as it returns: who takes it for an element has to
// say why that isn't so.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{prelude::*, types::ForeignOwnable, xarray::XArray};

pub fn attack(tree: &XArray<KBox<u32>>) -> bool {
    let Some(ptr) = tree.load(0) else {
        return false;
    };
    #[cfg(attack)]
    let element = <KBox<u32> as ForeignOwnable>::borrow(ptr.as_ptr()); //~[attack] E0133
    #[cfg(control)]
    let element = &(<KBox<u32> as ForeignOwnable>::FOREIGN_ALIGN, ptr);
    let _ = element;
    true
}
