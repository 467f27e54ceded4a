// SPDX-License-Identifier: GPL-2.0-or-later
// kfree_rcu() of a type without room for a callback, which would overwrite what readers look at:
// `unsafe` says where the room is. Nor is an object used after it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::slab::{HasRcuHead, Managed, Object};

pub struct Entry(pub [u64; 4]);
impl Managed for Entry {}

#[cfg(attack)]
impl HasRcuHead for Other {
    //~[attack]^ E0200
    const OFFSET: usize = 16;
}
pub struct Other(pub [u64; 4]);
impl Managed for Other {}

pub fn attack(object: Object<Entry>) {
    #[cfg(attack)]
    object.free_rcu(); //~[attack] E0599
    #[cfg(control)]
    drop(object);
}

pub fn used<T: HasRcuHead>(object: Object<T>) {
    #[cfg(attack)]
    let lent = object.borrow();
    object.free_rcu(); //~[attack] E0505
    #[cfg(attack)]
    drop((lent, object)); //~[attack] E0382
                          //~[attack]^ E0505
}
