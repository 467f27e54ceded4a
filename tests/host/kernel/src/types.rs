// SPDX-License-Identifier: GPL-2.0

//! Basic types.

use crate::ffi::c_void;
use core::{cell::UnsafeCell, marker::PhantomData, mem::MaybeUninit};
use pin_init::PinInit;

#[derive(Clone, Copy)]
pub struct NotThreadSafe_(#[allow(dead_code)] PhantomData<*mut ()>);
pub type NotThreadSafe = NotThreadSafe_;
#[allow(non_upper_case_globals)]
pub const NotThreadSafe: NotThreadSafe = NotThreadSafe_(PhantomData);

/// Data owned by C.
#[repr(transparent)]
pub struct Opaque<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: The contents belong to C, whose users ensure correct access.
unsafe impl<T> pin_init::Zeroable for Opaque<T> {}

impl<T> Opaque<T> {
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(MaybeUninit::new(value)))
    }
    pub const fn uninit() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }
    pub const fn zeroed() -> Self {
        Self(UnsafeCell::new(MaybeUninit::zeroed()))
    }
    pub const fn get(&self) -> *mut T {
        self.0.get().cast()
    }
    pub const fn cast_into(this: *const Self) -> *mut T {
        this.cast_mut().cast()
    }
    pub const fn cast_from(this: *const T) -> *const Self {
        this.cast()
    }
    pub fn ffi_init(init: impl FnOnce(*mut T)) -> impl PinInit<Self> {
        // SAFETY: The initialiser initialises it.
        unsafe {
            pin_init::pin_init_from_closure(move |slot: *mut Self| {
                init(slot.cast());
                Ok::<(), core::convert::Infallible>(())
            })
        }
    }
    pub fn try_ffi_init<E>(init: impl FnOnce(*mut T) -> Result<(), E>) -> impl PinInit<Self, E> {
        // SAFETY: The initialiser initialises it.
        unsafe { pin_init::pin_init_from_closure(move |slot: *mut Self| init(slot.cast())) }
    }
}

/// # Safety
///
/// `into_foreign` must return a pointer that the other functions accept, aligned to
/// `FOREIGN_ALIGN`.
pub unsafe trait ForeignOwnable: Sized {
    const FOREIGN_ALIGN: usize;
    type Borrowed<'a>
    where
        Self: 'a;
    type BorrowedMut<'a>
    where
        Self: 'a;
    fn into_foreign(self) -> *mut c_void;
    /// # Safety
    ///
    /// `ptr` must be from `into_foreign`, and be passed once, with no borrow of it left.
    unsafe fn from_foreign(ptr: *mut c_void) -> Self;
    /// # Safety
    ///
    /// As for `from_foreign`, if it isn't null.
    unsafe fn try_from_foreign(ptr: *mut c_void) -> Option<Self> {
        // SAFETY: By the requirement, as it isn't null.
        (!ptr.is_null()).then(|| unsafe { Self::from_foreign(ptr) })
    }
    /// # Safety
    ///
    /// `ptr` must be from `into_foreign`, and neither be passed to `from_foreign` nor borrowed
    /// mutably during `'a`.
    unsafe fn borrow<'a>(ptr: *mut c_void) -> Self::Borrowed<'a>;
    /// # Safety
    ///
    /// As for `borrow`; and there must be no other borrow.
    unsafe fn borrow_mut<'a>(ptr: *mut c_void) -> Self::BorrowedMut<'a>;
}
