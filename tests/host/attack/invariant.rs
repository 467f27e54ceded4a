// SPDX-License-Identifier: GPL-2.0-or-later
// A type that stores through a shared reference, or acts by its type parameter, is coerced to one
// of a subtype or supertype. (docs/safety.md has the table.)
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
#![allow(coherence_leak_check)]
use kernel::{
    mm::list_lru::{ListLru, Prepared},
    module_param::runtime::ParamLocked,
    percpu::PerCpu,
    prelude::*,
    slab::{Cache, Managed, ObjectRef, Vacant, Vacants},
    sync::generations::{Detached, Generations, Numbers, Ref},
    xarray::{Guard, XArray},
};

pub struct A<F>(F);
type Sub = A<for<'a> fn(&'a u8)>;
type Super = A<fn(&'static u8)>;

/// XX is nothing but a box for each CPU.
pub fn values(it: PerCpu<Sub>) -> PerCpu<Super> {
    it
}

#[cfg(attack)]
mod attack {
    use super::*;

    impl<F: 'static> Managed for A<F> {}
    kernel::impl_generation! { impl Generation for Sub }
    kernel::impl_generation! { impl Generation for Super }

    pub fn cache(it: Cache<Sub>) -> Cache<Super> {
        it //~[attack] E0308
    }
    pub fn vacant(it: Vacant<Sub>) -> Vacant<Super> {
        it //~[attack] E0308
    }
    pub fn vacants(it: Vacants<Sub>) -> Vacants<Super> {
        it //~[attack] E0308
    }
    pub fn object(it: ObjectRef<'_, Sub>) -> ObjectRef<'_, Super> {
        it //~[attack] E0308
    }
    pub fn list(it: &ListLru<Sub>) -> &ListLru<Super> {
        it //~[attack] E0308
    }
    pub fn list_back(it: &ListLru<Super>) -> &ListLru<Sub> {
        it //~[attack] E0308
    }
    pub fn prepared_back<'p>(it: Prepared<'p, Super>) -> Prepared<'p, Sub> {
        it //~[attack] E0308
    }
    pub fn generations(it: &Generations<Sub>) -> &Generations<Super> {
        it //~[attack] E0308
    }
    pub fn detached(it: Detached<Sub>) -> Detached<Super> {
        it //~[attack] E0308
    }
    pub fn reference(it: Ref<Sub>) -> Ref<Super> {
        it //~[attack] E0308
    }
    pub fn numbers(it: &'static Numbers<Sub>) -> &'static Numbers<Super> {
        it //~[attack] E0308
    }
    pub fn tree(it: &XArray<KBox<Sub>>) -> &XArray<KBox<Super>> {
        it //~[attack] E0308
    }
    pub fn guard<'t>(it: Guard<'t, KBox<Sub>>) -> Guard<'t, KBox<Super>> {
        it //~[attack] E0308
    }
    pub fn locked(it: &ParamLocked<Sub>) -> &ParamLocked<Super> {
        it //~[attack] E0308
    }
}
