// SPDX-License-Identifier: GPL-2.0-or-later
// Two pools, selected by the owner's type: after a coercion an object is freed in the wrong one.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
#![allow(coherence_leak_check)]
use kernel::mm::zsmalloc::{Object, Pool};

pub struct Owner<F> {
    one: Pool,
    other: Pool,
    _f: F,
}
type First = Owner<for<'a> fn(&'a u8)>;
type Second = Owner<fn(&'static u8)>;

kernel::impl_has_zs_pool! { impl HasPool for First { self.one } }
kernel::impl_has_zs_pool! { impl HasPool for Second { self.other } }

pub fn attack(object: Object<First>) {
    #[cfg(attack)]
    let object: Object<Second> = object; //~[attack] E0308
    drop(object);
}
