// SPDX-License-Identifier: GPL-2.0-or-later
// Struct literals forge what says that objects are charged, that their lists are there, that an
// object is in slab memory, or what a cgroup is to be uncharged by.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        list_lru::{Batch, Charged, Item, Prepared},
        memcontrol::{ObjCgroup, Uncharges},
    },
    slab::{Object, ObjectRef},
};

pub fn attack<'a, T: Item>(
    (batch, charged, prepared): (&'a mut Batch<T>, Charged<'a, T>, Prepared<'a, T>),
    (one, other): (&'a T, &'a Object<T>),
    objcg: Option<&'a ObjCgroup>,
    uncharges: Uncharges,
) -> (Charged<'a, T>, Prepared<'a, T>, ObjectRef<'a, T>) {
    let object = other.borrow();
    #[cfg(attack)]
    let charged = Charged { batch, objcg }; //~[attack] E0451
                                            //~[attack]^ E0451
    #[cfg(attack)]
    let prepared = Prepared { objcg, ..prepared }; //~[attack] E0451
                                                   //~[attack]^ E0451
    #[cfg(attack)]
    #[rustfmt::skip]
    let object = ObjectRef { object: one, ..object }; //~[attack] E0451
                                                      //~[attack]^ E0451
    #[cfg(attack)]
    #[rustfmt::skip]
    let uncharges = Uncharges { objcg: None, ..uncharges }; //~[attack] E0451
                                                            //~[attack]^ E0451
    (charged, prepared, object)
}
