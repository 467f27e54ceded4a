// SPDX-License-Identifier: GPL-2.0

//! References that are counted by what they refer to.

use core::{mem::ManuallyDrop, ops::Deref, ptr::NonNull};

pub unsafe trait AlwaysRefCounted {
    fn inc_ref(&self);
    unsafe fn dec_ref(obj: NonNull<Self>);
}

pub struct ARef<T: AlwaysRefCounted>(NonNull<T>);

unsafe impl<T: AlwaysRefCounted + Sync + Send> Send for ARef<T> {}
unsafe impl<T: AlwaysRefCounted + Sync + Send> Sync for ARef<T> {}

impl<T: AlwaysRefCounted> ARef<T> {
    pub unsafe fn from_raw(ptr: NonNull<T>) -> Self {
        Self(ptr)
    }
    pub fn into_raw(me: Self) -> NonNull<T> {
        ManuallyDrop::new(me).0
    }
}

impl<T: AlwaysRefCounted> Clone for ARef<T> {
    fn clone(&self) -> Self {
        self.inc_ref();
        Self(self.0)
    }
}

impl<T: AlwaysRefCounted> From<&T> for ARef<T> {
    fn from(b: &T) -> Self {
        b.inc_ref();
        Self(NonNull::from(b))
    }
}

impl<T: AlwaysRefCounted> Deref for ARef<T> {
    type Target = T;
    fn deref(&self) -> &T {
        unsafe { self.0.as_ref() }
    }
}

impl<T: AlwaysRefCounted> Drop for ARef<T> {
    fn drop(&mut self) {
        unsafe { T::dec_ref(self.0) };
    }
}
