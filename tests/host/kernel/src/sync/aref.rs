// SPDX-License-Identifier: GPL-2.0

//! References to objects that count them.

use core::{mem::ManuallyDrop, ops::Deref, ptr::NonNull};

/// # Safety
///
/// An object must stay alive until `dec_ref` was called as often as `inc_ref`.
pub unsafe trait AlwaysRefCounted {
    fn inc_ref(&self);
    /// # Safety
    ///
    /// The caller must own a reference to `obj`, and not use it any more.
    unsafe fn dec_ref(obj: NonNull<Self>);
}

/// # Invariants
///
/// It owns a reference.
pub struct ARef<T: AlwaysRefCounted>(NonNull<T>);

// SAFETY: It gives access to `&T`, possible in any task as `T` is `Sync`; and dropping the last one
// drops the `T`, possible in any task as it is `Send`.
unsafe impl<T: AlwaysRefCounted + Sync + Send> Send for ARef<T> {}
// SAFETY: As above: a `&ARef<T>` gives `&T`, and can be cloned.
unsafe impl<T: AlwaysRefCounted + Sync + Send> Sync for ARef<T> {}

impl<T: AlwaysRefCounted> ARef<T> {
    /// # Safety
    ///
    /// The caller must own a reference to `ptr`, which it passes on.
    pub unsafe fn from_raw(ptr: NonNull<T>) -> Self {
        // INVARIANT: By the requirement.
        Self(ptr)
    }
    pub fn into_raw(me: Self) -> NonNull<T> {
        ManuallyDrop::new(me).0
    }
}

impl<T: AlwaysRefCounted> Clone for ARef<T> {
    fn clone(&self) -> Self {
        self.inc_ref();
        // INVARIANT: Just counted.
        Self(self.0)
    }
}

impl<T: AlwaysRefCounted> From<&T> for ARef<T> {
    fn from(b: &T) -> Self {
        b.inc_ref();
        // INVARIANT: Just counted.
        Self(NonNull::from(b))
    }
}

impl<T: AlwaysRefCounted> Deref for ARef<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: By the type invariant it stays alive as long as `self`.
        unsafe { self.0.as_ref() }
    }
}

impl<T: AlwaysRefCounted> Drop for ARef<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is ours, and this is its last use.
        unsafe { T::dec_ref(self.0) };
    }
}
