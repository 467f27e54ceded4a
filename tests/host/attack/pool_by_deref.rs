// SPDX-License-Identifier: GPL-2.0-or-later
// zs_free() of a handle in another pool: an owner must always have the same pool, so the pool must
// be its field, and not what a field dereferences to.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::zsmalloc::{HasPool, Pool},
    prelude::*,
};

pub struct Owner {
    #[cfg(attack)]
    zs: KBox<Pool>,
    #[cfg(control)]
    zs: Pool,
}

kernel::impl_has_zs_pool! {
//~[attack]^ E0308
    impl HasPool for Owner { self.zs }
}

pub fn pages(owner: Owner) -> usize {
    KBox::new(owner, GFP_KERNEL).map_or(0, |owner| owner.zs_pool().total_pages())
}
