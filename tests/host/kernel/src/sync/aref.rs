// SPDX-License-Identifier: GPL-2.0

//! References that are counted by what they refer to.

use core::{mem::ManuallyDrop, ops::Deref, ptr::NonNull};

/// # Safety
///
/// What was counted by `inc_ref` must stay until `dec_ref` has been called as often.
pub unsafe trait AlwaysRefCounted {
    fn inc_ref(&self);
    /// # Safety
    ///
    /// `obj` must have a count that is the caller's, and that he uses no more.
    unsafe fn dec_ref(obj: NonNull<Self>);
}

/// # Invariants
///
/// There is a count for it, which is this one's own.
pub struct ARef<T: AlwaysRefCounted>(NonNull<T>);

// SAFETY: It gives `&T`, which may be had elsewhere as `T` is `Sync`; and who drops the last one drops the
// `T`, which may be done elsewhere as it is `Send`.
unsafe impl<T: AlwaysRefCounted + Sync + Send> Send for ARef<T> {}
// SAFETY: As above: a `&ARef<T>` gives `&T`, and can be cloned.
unsafe impl<T: AlwaysRefCounted + Sync + Send> Sync for ARef<T> {}

impl<T: AlwaysRefCounted> ARef<T> {
    /// # Safety
    ///
    /// `ptr` must have a count that is the caller's, and that he hands over.
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
        // SAFETY: By the type invariant it stays for as long as `self` does.
        unsafe { self.0.as_ref() }
    }
}

impl<T: AlwaysRefCounted> Drop for ARef<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the count is ours, and this was its last use.
        unsafe { T::dec_ref(self.0) };
    }
}
