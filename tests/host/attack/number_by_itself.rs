// SPDX-License-Identifier: GPL-2.0-or-later
// A number is a reference that can be copied: the pool is put twice. Nor can it be looked up
// without a reference, or changed in an object, whose tag is next to it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::zsmalloc::{HasPool, Object, TAG_BITS},
    sync::generations::Ref,
};

pub fn attack<P: HasPool>(pool: Ref<P>, object: &Object<P>) -> u64 {
    #[cfg(attack)]
    {
        let number = pool.into_number(); //~[attack] E0624
        drop(Ref::<P>::from_number(number)); //~[attack] E0624
        let _: &P = Ref::borrow_number(number); //~[attack] E0624
        let _ = P::numbers().take(); //~[attack] E0624
        let _ = P::numbers().node(0); //~[attack] E0624
        let _ = &P::numbers().nodes; //~[attack] E0616
        let _ = &object.word; //~[attack] E0616
        let _ = object.number(); //~[attack] E0624
    }
    #[cfg(control)]
    let _ = pool;
    object.change_tag(|tag| !tag | 1 << TAG_BITS);
    object.tag()
}
