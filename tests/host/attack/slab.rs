// SPDX-License-Identifier: GPL-2.0-or-later
// Objects of a slab cache.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    prelude::*,
    slab::{Cache, HasRcuHead, Managed, Object, Vacant, Vacants},
};

// kmem_cache_free() of an object to a cache that it doesn't come from. Dropping an object finds its
// cache; no function frees one to a given cache.
#[cfg(any(control, object_to_other_cache))]
pub mod object_to_other_cache {
    use super::*;

    pub fn attack<T: Managed>(object: Object<T>, cache: &Cache<T>) {
        #[cfg(object_to_other_cache)]
        cache.free(object); //~[object_to_other_cache] E0599
        #[cfg(control)]
        drop(object);
        let _ = cache;
    }
}

// The shrinker visits an entry while another task changes it: since others may read an entry, no
// task gets exclusive access to it.
#[cfg(any(control, object_changed))]
pub mod object_changed {
    use super::*;

    pub fn attack<T: Managed + Default>(mut object: Object<T>) -> Object<T> {
        #[cfg(object_changed)]
        let place: &mut T = &mut object.borrow(); //~[object_changed] E0596
        #[cfg(control)]
        let place = &mut object;
        let _ = place;
        object
    }
}

// An entry is moved out of its memory, to which lists point.
#[cfg(any(control, object_moved_out))]
pub mod object_moved_out {
    use super::*;

    pub fn attack<T: Managed>(object: Object<T>) -> Object<T> {
        #[cfg(object_moved_out)]
        let inner: T = *object.borrow(); //~[object_moved_out] E0507
        #[cfg(control)]
        let inner = object.borrow();
        let _ = inner;
        object
    }
}

// The object is used after kmem_cache_free().
#[cfg(any(control, object_past_drop))]
pub mod object_past_drop {
    use super::*;

    pub fn attack<T: Managed + Copy>(object: Object<T>) -> T {
        let borrowed = object.borrow().get();
        #[cfg(object_past_drop)]
        drop(object); //~[object_past_drop] E0505
        *borrowed
    }
}

// A caller that drops an object has it to itself first, and keeps that access until it is freed; or has
// it while others may look at it.
#[cfg(any(control, drop_after_kept))]
pub mod drop_after_kept {
    use super::*;

    pub fn attack<T: Managed>(object: Object<T>, other: Object<T>) {
        #[cfg(drop_after_kept)]
        {
            let mut kept = None;
            object.drop_after(|object| kept = Some(object)); //~[drop_after_kept] E0521
            let lent = other.borrow();
            other.drop_after(|_| ()); //~[drop_after_kept] E0505
            drop(lent);
            drop(other); //~[drop_after_kept] E0382
        }
        #[cfg(control)]
        object.drop_after(|_| drop(other));
    }
}

// kfree_rcu() of a type without room for a callback, which would overwrite what readers look at:
// `unsafe` says where the room is. Nor is an object used after it.
#[cfg(any(control, rcu_without_head))]
pub mod rcu_without_head {
    use super::*;

    pub struct Entry(pub [u64; 4]);
    impl Managed for Entry {}

    #[cfg(rcu_without_head)]
    impl HasRcuHead for Other {
        //~[rcu_without_head]^ E0200
        const OFFSET: usize = 16;
    }
    pub struct Other(pub [u64; 4]);
    impl Managed for Other {}

    pub fn attack(object: Object<Entry>) {
        #[cfg(rcu_without_head)]
        object.free_rcu(); //~[rcu_without_head] E0599
        #[cfg(control)]
        drop(object);
    }

    pub fn used<T: HasRcuHead>(object: Object<T>) {
        #[cfg(rcu_without_head)]
        let lent = object.borrow();
        object.free_rcu(); //~[rcu_without_head] E0505
        #[cfg(rcu_without_head)]
        drop((lent, object)); //~[rcu_without_head] E0382
                              //~[rcu_without_head]^ E0505
    }
}

// kmem_cache_destroy() with objects in it.
#[cfg(any(control, cache_that_goes))]
pub mod cache_that_goes {
    use super::*;

    pub fn many<T: Managed>(stays: &'static Cache<T>) -> Result<Vacants<T>> {
        #[cfg(cache_that_goes)]
        let stays = &Cache::<T>::new(c"attack")?; //~[cache_that_goes] E0716
        Ok(stays.alloc_many(7, GFP_KERNEL, NumaNode::NO_NODE)?)
    }

    pub fn attack<T: Managed>(stays: &'static Cache<T>) -> Result<Vacant<T>> {
        #[cfg(cache_that_goes)]
        let stays = &Cache::<T>::new(c"attack")?; //~[cache_that_goes] E0716
        Ok(stays.alloc(GFP_KERNEL, NumaNode::NO_NODE)?)
    }
}

// An allocated object is used before it was written: "many things
// rely on the zero-initialization".
#[cfg(any(control, vacant_is_no_object))]
pub mod vacant_is_no_object {
    use super::*;

    pub fn attack<T: Managed>(vacant: Vacant<T>, value: T) -> Object<T> {
        #[cfg(vacant_is_no_object)]
        let _ = vacant.borrow(); //~[vacant_is_no_object] E0599
        vacant.write(value)
    }
}
