// SPDX-License-Identifier: GPL-2.0-or-later
// Facilities of the kernel that have no room of their own, and the variance of all types.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    prelude::*,
    slab::{Box as SlabBox, Cache, UninitBox, UninitBoxes},
    xarray::{Guard, XArray},
};

// xa_load() returns a pointer to an object that may be freed at once: a caller that dereferences it
// has to prove that it isn't, with `unsafe`.
#[cfg(any(control, xarray_unlocked))]
pub mod xarray_unlocked {
    use super::*;

    pub fn attack(tree: &XArray<KBox<u32>>) -> bool {
        let Some(found) = tree.load(0) else {
            return false;
        };
        #[cfg(xarray_unlocked)]
        return *found.cast::<u32>().as_ref() == 7; //~[xarray_unlocked] E0133
        let _ = found;
        true
    }
}

// A type that stores through a shared reference, or acts by its type parameter, is coerced to one
// of a subtype or supertype. (docs/safety.md has the table.)
#[cfg(any(control, invariant))]
#[allow(coherence_leak_check)]
pub mod invariant {
    use super::*;

    pub struct A<F>(F);
    type Sub = A<for<'a> fn(&'a u8)>;
    type Super = A<fn(&'static u8)>;

    /// A box.
    pub fn object(it: SlabBox<Sub>) -> SlabBox<Super> {
        it
    }

    #[cfg(invariant)]
    mod attack {
        use super::*;

        pub fn cache(it: Cache<Sub>) -> Cache<Super> {
            it //~[invariant] E0308
        }
        pub fn memory(it: UninitBox<Sub>) -> UninitBox<Super> {
            it //~[invariant] E0308
        }
        pub fn memories(it: UninitBoxes<Sub>) -> UninitBoxes<Super> {
            it //~[invariant] E0308
        }
        pub fn tree(it: &XArray<KBox<Sub>>) -> &XArray<KBox<Super>> {
            it //~[invariant] E0308
        }
        pub fn guard<'t>(it: Guard<'t, KBox<Sub>>) -> Guard<'t, KBox<Super>> {
            it //~[invariant] E0308
        }
    }
}
