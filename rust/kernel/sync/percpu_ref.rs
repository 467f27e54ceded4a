// SPDX-License-Identifier: GPL-2.0

//! Reference counts for objects that are referenced from many CPUs at once.
//!
//! C header: [`include/linux/percpu-refcount.h`](srctree/include/linux/percpu-refcount.h)

use crate::{
    bindings,
    error::to_result,
    prelude::*,
    types::Opaque, //
};
use core::ptr::NonNull;

/// A reference count, embedded in the object whose references it counts. Mirrors `struct
/// percpu_ref`.
///
/// A new count is *live*, with one reference, the initial reference. A live count consists of a
/// counter for each CPU, and C doesn't check whether their sum is zero. [`PercpuRef::kill`] puts
/// the initial reference; after that, putting the last reference calls [`Release::released`].
///
/// A thin wrapper with the obligations of C.
///
/// # Invariants
///
/// `refs` is initialised.
#[pin_data(PinnedDrop)]
#[repr(transparent)]
pub struct PercpuRef {
    #[pin]
    refs: Opaque<bindings::percpu_ref>,
}

// SAFETY: A `struct percpu_ref` is bound to no thread.
unsafe impl Send for PercpuRef {}
// SAFETY: C's operations on a shared `struct percpu_ref` are atomic, or take a lock.
unsafe impl Sync for PercpuRef {}

/// The callback for the last put.
// One implementor: zswap's pools. C calls it through a function pointer, so it has to be a trait.
pub trait Release {
    /// Called when the count has become zero, in the context of the last put or in RCU's softirq.
    /// Must not sleep.
    ///
    /// # Safety
    ///
    /// `refs` must be a [`PercpuRef`] that was created for `Self`, and whose count has become zero.
    unsafe fn released(refs: NonNull<PercpuRef>);
}

impl PercpuRef {
    /// Creates a live count with its initial reference. May sleep. Fails with `ENOMEM`.
    ///
    /// Mirrors `percpu_ref_init()` with `PERCPU_REF_ALLOW_REINIT`.
    ///
    /// # Safety
    ///
    /// - The value must be embedded where `R::released` expects it, in an object that lives until
    ///   `R::released` is called.
    /// - Once killed, the value must not be dropped before `R::released` was called.
    /// - The code of `R` must not be unloaded before the value is dropped.
    pub unsafe fn new<R: Release>() -> impl PinInit<Self, Error> {
        // INVARIANT: `refs` is initialised here.
        try_pin_init!(Self {
            refs <- Opaque::try_ffi_init(|refs| {
                // SAFETY: `refs` is valid for writes and pinned; the caller guarantees what
                // `released` requires.
                to_result(unsafe {
                    bindings::percpu_ref_init(
                        refs,
                        Some(released::<R>),
                        bindings::PERCPU_REF_ALLOW_REINIT,
                        bindings::GFP_KERNEL,
                    )
                })
            }),
        }? Error)
    }

    /// Whether the count is killed. Only [`PercpuRef::resurrect`] makes it live again. Any context.
    ///
    /// Mirrors `percpu_ref_is_dying()`.
    #[inline]
    pub fn is_dying(&self) -> bool {
        // SAFETY: `refs` is initialised by the type invariant.
        unsafe { bindings::percpu_ref_is_dying(self.refs.get()) }
    }

    /// Whether no reference is left; false for a live count. Any context. Mirrors
    /// `percpu_ref_is_zero()`.
    pub fn is_zero(&self) -> bool {
        // SAFETY: `refs` is initialised by the type invariant.
        unsafe { bindings::percpu_ref_is_zero(self.refs.get()) }
    }

    /// Takes another reference. Any context. Mirrors `percpu_ref_get()`.
    ///
    /// # Safety
    ///
    /// The count must not be zero: the caller or another owner must have a reference.
    #[inline]
    pub unsafe fn get(&self) {
        // SAFETY: `refs` is initialised by the type invariant. The caller guarantees that the count
        // isn't zero.
        unsafe { bindings::percpu_ref_get(self.refs.get()) }
    }

    /// Takes a reference, unless the count is zero. Returns whether it has. Any context. Mirrors
    /// `percpu_ref_tryget()`.
    #[inline]
    #[must_use = "a reference that was taken must be put"]
    pub fn tryget(&self) -> bool {
        // SAFETY: `refs` is initialised by the type invariant.
        unsafe { bindings::percpu_ref_tryget(self.refs.get()) }
    }

    /// Puts a reference. Takes a pointer, since the object may be freed before this returns. Any
    /// context.
    ///
    /// Mirrors `percpu_ref_put()`.
    ///
    /// # Safety
    ///
    /// `this` must be valid, and the caller must own a reference, which it gives up.
    #[inline]
    pub unsafe fn put(this: NonNull<Self>) {
        // SAFETY: The caller guarantees that it owns a reference, which pins `this` until the put;
        // `Self` is transparent.
        unsafe { bindings::percpu_ref_put(this.as_ptr().cast()) }
    }

    /// Puts the initial reference: the count is no longer live. Mirrors `percpu_ref_kill()`.
    ///
    /// # Safety
    ///
    /// The count must be live, and no other task may kill it.
    pub unsafe fn kill(&self) {
        // SAFETY: `refs` is initialised by the type invariant. The caller guarantees that the count
        // is live.
        unsafe { bindings::percpu_ref_kill(self.refs.get()) }
    }

    /// Restores the initial reference: the count is live again. May sleep.
    ///
    /// Mirrors `percpu_ref_resurrect()`.
    ///
    /// # Safety
    ///
    /// The count must be killed and not zero, and no other task may resurrect it.
    pub unsafe fn resurrect(&self) {
        // SAFETY: `refs` is initialised by the type invariant, with `PERCPU_REF_ALLOW_REINIT`. The
        // caller guarantees that the count is killed and not zero.
        unsafe { bindings::percpu_ref_resurrect(self.refs.get()) }
    }
}

#[pinned_drop]
impl PinnedDrop for PercpuRef {
    fn drop(self: Pin<&mut Self>) {
        // SAFETY: `refs` is initialised by the type invariant, and borrowed exclusively. C no
        // longer uses it: the caller of `new` guarantees that the count was never killed, or was
        // released.
        unsafe { bindings::percpu_ref_exit(self.refs.get()) }
    }
}

/// # Safety
///
/// Only for C, as the callback that [`PercpuRef::new::<R>`] sets.
unsafe extern "C" fn released<R: Release>(refs: *mut bindings::percpu_ref) {
    // SAFETY: C passes the address that `PercpuRef::new::<R>` has initialised, when the count has
    // become zero; `PercpuRef` is transparent.
    unsafe { R::released(NonNull::new_unchecked(refs.cast())) }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_percpu_ref)]
mod tests {
    use super::*;
    use crate::{
        sync::atomic::{
            ordering::Relaxed,
            Atomic, //
        },
        time::{
            delay::fsleep,
            Delta, //
        },
    };

    static RELEASED: Atomic<u32> = Atomic::new(0);

    struct Test;

    impl Release for Test {
        unsafe fn released(_refs: NonNull<PercpuRef>) {
            RELEASED.fetch_add(1, Relaxed);
        }
    }

    /// Waits until `n` counts were released, with a timeout. Returns whether they were.
    fn released(n: u32) -> bool {
        for _ in 0..500 {
            if RELEASED.load(Relaxed) == n {
                return true;
            }
            fsleep(Delta::from_millis(10));
        }
        false
    }

    #[test]
    fn last_put_calls_release() -> Result {
        let start = RELEASED.load(Relaxed);
        // SAFETY: `released` doesn't access the value, which is never dropped.
        let refs = KBox::pin_init(unsafe { PercpuRef::new::<Test>() }, GFP_KERNEL)?;
        // SAFETY: The value is leaked, and so never moves.
        let refs = KBox::leak(unsafe { Pin::into_inner_unchecked(refs) });
        let put = || {
            // SAFETY: Each call puts a reference that was taken before.
            unsafe { PercpuRef::put(NonNull::from(&*refs)) }
        };

        assert!(refs.tryget() && !refs.is_dying());
        // SAFETY: The count is live, and not shared.
        unsafe { refs.kill() };
        assert!(refs.is_dying() && refs.tryget());
        put();
        // SAFETY: The count is killed, and not zero: the reference that was taken first is left.
        unsafe { refs.resurrect() };
        assert!(!refs.is_dying());
        put();
        assert_eq!(RELEASED.load(Relaxed), start);

        // SAFETY: The count is live again, and not shared.
        unsafe { refs.kill() };
        assert!(released(start + 1));
        assert!(!refs.tryget());
        Ok(())
    }
}
