// SPDX-License-Identifier: GPL-2.0-or-later
// kmem_cache_free() of an object to a cache that it doesn't come from. Dropping an object finds its
// cache; no function frees one to a given cache.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::slab::{Cache, Managed, Object};

pub fn attack<T: Managed>(object: Object<T>, cache: &Cache<T>) {
    #[cfg(attack)]
    cache.free(object); //~[attack] E0599
    #[cfg(control)]
    drop(object);
    let _ = cache;
}
