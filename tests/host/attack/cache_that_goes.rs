// SPDX-License-Identifier: GPL-2.0-or-later
// kmem_cache_destroy() with objects in it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    prelude::*,
    slab::{Cache, Managed, Vacant, Vacants},
};

pub fn many<T: Managed>(stays: &'static Cache<T>) -> Result<Vacants<T>> {
    #[cfg(attack)]
    let stays = &Cache::<T>::new(c"attack")?; //~[attack] E0716
    Ok(stays.alloc_many(7, GFP_KERNEL, NumaNode::NO_NODE)?)
}

pub fn attack<T: Managed>(stays: &'static Cache<T>) -> Result<Vacant<T>> {
    #[cfg(attack)]
    let stays = &Cache::<T>::new(c"attack")?; //~[attack] E0716
    Ok(stays.alloc(GFP_KERNEL, NumaNode::NO_NODE)?)
}
