// SPDX-License-Identifier: GPL-2.0-or-later
// Objects of a slab cache.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::NumaNode,
    prelude::*,
    slab::{self, Cache, UninitBox, UninitBoxes},
};

// kmem_cache_free() of an object to a cache that it doesn't come from. Dropping an object finds its
// cache; no function frees one to a given cache.
#[cfg(any(control, object_to_other_cache))]
pub mod object_to_other_cache {
    use super::*;

    pub fn attack<T>(object: slab::Box<T>, cache: &Cache<T>) {
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

    pub fn attack<T>(mut object: slab::Box<T>) -> slab::Box<T> {
        #[cfg(object_changed)]
        let place: &mut T = &mut object; //~[object_changed] E0596
        #[cfg(control)]
        let place: &T = &object;
        let _ = place;
        object
    }
}

// An entry is moved out of its memory, to which lists point.
#[cfg(any(control, object_moved_out))]
pub mod object_moved_out {
    use super::*;

    pub fn attack<T>(object: slab::Box<T>) -> slab::Box<T> {
        #[cfg(object_moved_out)]
        let inner: T = *object; //~[object_moved_out] E0507
        #[cfg(control)]
        let inner: &T = &object;
        let _ = inner;
        object
    }
}

// The object is used after kmem_cache_free(), or after it has left its memory; or it is freed twice.
#[cfg(any(control, object_past_drop))]
pub mod object_past_drop {
    use super::*;

    pub fn attack<T: Copy>(object: slab::Box<T>) -> T {
        let lent: &T = &object;
        #[cfg(object_past_drop)]
        drop(object); //~[object_past_drop] E0505
        *lent
    }

    pub fn parts<T>(object: slab::Box<T>, look: fn(&T)) {
        let lent: &T = &object;
        #[cfg(control)]
        look(lent);
        drop(slab::Box::into_parts(object)); //~[object_past_drop] E0505
        #[cfg(object_past_drop)]
        look(lent);
    }

    pub fn twice<T>(object: slab::Box<T>) {
        #[cfg(object_past_drop)]
        drop(slab::Box::into_parts(object));
        drop(object); //~[object_past_drop] E0382
    }
}

// An address is made an object again, of which there is one already: two owners free it. Or an object is looked at
// by its address, which may be freed.
#[cfg(any(control, object_of_its_address))]
pub mod object_of_its_address {
    use super::*;

    pub fn attack<T: Copy>(object: slab::Box<T>) -> Option<T> {
        let address = object.as_ptr();
        #[cfg(object_of_its_address)]
        drop(slab::Box::from_raw(address)); //~[object_of_its_address] E0133
        #[cfg(object_of_its_address)]
        return Some(*address.as_ref()); //~[object_of_its_address] E0133
        let _ = address;
        None
    }

    pub fn node<T>(object: &T, other: &slab::Box<T>) -> NumaNode {
        #[cfg(object_of_its_address)]
        return slab::nid_of(object); //~[object_of_its_address] E0133
        let _ = object;
        other.nid()
    }
}

// kmem_cache_destroy() with objects in it.
#[cfg(any(control, cache_that_goes))]
pub mod cache_that_goes {
    use super::*;

    pub fn many<T>(stays: &'static Cache<T>) -> Result<UninitBoxes<T>> {
        #[cfg(cache_that_goes)]
        let stays = &Cache::<T>::new(c"attack")?; //~[cache_that_goes] E0716
        Ok(stays.alloc_bulk(7, GFP_KERNEL, NumaNode::NO_NODE)?)
    }

    pub fn attack<T>(stays: &'static Cache<T>) -> Result<UninitBox<T>> {
        #[cfg(cache_that_goes)]
        let stays = &Cache::<T>::new(c"attack")?; //~[cache_that_goes] E0716
        Ok(stays.alloc(GFP_KERNEL, NumaNode::NO_NODE)?)
    }
}

// An allocated object is used before it was written: "many things
// rely on the zero-initialization".
#[cfg(any(control, memory_is_no_object))]
pub mod memory_is_no_object {
    use super::*;

    pub fn attack<T>(memory: UninitBox<T>, value: T) -> slab::Box<T> {
        #[cfg(memory_is_no_object)]
        let _: &T = &memory; //~[memory_is_no_object] E0308
        memory.write(value)
    }
}

// A cache of one type gives memory for another, larger or with another meaning: of a subtype, too.
#[cfg(any(control, memory_of_a_subtype))]
#[allow(coherence_leak_check)]
pub mod memory_of_a_subtype {
    use super::*;

    type First = for<'a> fn(&'a u8);
    #[cfg(control)]
    type To = First;
    #[cfg(memory_of_a_subtype)]
    type To = fn(&'static u8);

    pub fn cache(cache: &'static Cache<First>) -> &'static Cache<To> {
        cache //~[memory_of_a_subtype] E0308
    }

    pub fn back(cache: &'static Cache<To>) -> &'static Cache<First> {
        cache //~[memory_of_a_subtype] E0308
    }

    pub fn memory(memory: UninitBox<First>) -> UninitBox<To> {
        memory //~[memory_of_a_subtype] E0308
    }

    pub fn more(memory: UninitBoxes<First>) -> UninitBoxes<To> {
        memory //~[memory_of_a_subtype] E0308
    }
}
