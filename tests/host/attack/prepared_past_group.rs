// SPDX-License-Identifier: GPL-2.0-or-later
// A cgroup's lists are prepared, the cgroup is freed, and then the lists are used.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::{
        list_lru::{Item, ListLru},
        memcontrol::ObjCgroup,
    },
    prelude::*,
    slab::Object,
    sync::aref::ARef,
};

pub fn attack<T: Item>(object: &Object<T>, objcg: ARef<ObjCgroup>) -> Result {
    let prepared = ListLru::<T>::prepare(Some(&objcg), GFP_KERNEL)?;
    #[cfg(attack)]
    drop(objcg); //~[attack] E0505
    ListLru::add(object.borrow(), &prepared);
    Ok(())
}
