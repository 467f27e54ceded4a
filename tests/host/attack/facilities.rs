// SPDX-License-Identifier: GPL-2.0-or-later
// Facilities of the kernel that have no room of their own, and the variance of all types.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    debugfs::attribute::StaticDir,
    module_param::runtime::ParamLocked,
    percpu::PerCpu,
    prelude::*,
    ratelimit::RateLimit,
    slab::{Box as SlabBox, Cache, UninitBox, UninitBoxes},
    sync::{atomic::Atomic, Arc},
    workqueue::{RawWorkItem, ReclaimQueue},
    xarray::{Guard, XArray},
};

// A lock in use is moved.
#[cfg(any(control, ratelimit_moved))]
pub mod ratelimit_moved {
    use super::*;

    pub fn attack(limit: Pin<KBox<RateLimit>>) -> bool {
        #[cfg(ratelimit_moved)]
        let limit = *Pin::into_inner(limit); //~[ratelimit_moved] E0277
        limit.allows(c"attack")
    }
}

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

// Destroying a queue doesn't wait for delayed work, which would be queued on the freed queue.
#[cfg(any(control, delayed_on_reclaim_queue))]
pub mod delayed_on_reclaim_queue {
    use super::*;

    pub fn attack<W>(queue: &ReclaimQueue, work: Arc<W>)
    where
        Arc<W>: RawWorkItem<0>,
        W: Send + Sync + 'static,
    {
        #[cfg(delayed_on_reclaim_queue)]
        let _ = queue.enqueue_delayed(work, 1); //~[delayed_on_reclaim_queue] E0599
        #[cfg(control)]
        let _ = queue.enqueue::<Arc<W>, 0>(work);
    }
}

// A debugfs file shows a number on a function's stack.
#[cfg(any(control, file_of_a_local))]
pub mod file_of_a_local {
    use super::*;

    static OF_ALL: Atomic<u64> = Atomic::new(0);

    pub fn attack(dir: StaticDir, number: u64) {
        let number = Atomic::new(number);
        #[cfg(file_of_a_local)]
        dir.file(c"attack", &number); //~[file_of_a_local] E0597
        #[cfg(control)]
        dir.file(c"attack", &OF_ALL);
        let _ = number;
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

    /// A box for each CPU.
    pub fn values(it: PerCpu<Sub>) -> PerCpu<Super> {
        it
    }

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
        pub fn locked(it: &ParamLocked<Sub>) -> &ParamLocked<Super> {
            it //~[invariant] E0308
        }
    }
}
