// SPDX-License-Identifier: GPL-2.0

//! Memory.

use crate::{
    bindings,
    error::{code::EINVAL, Error},
    ffi::c_void,
    sim,
    types::ForeignOwnable,
};
use core::{
    alloc::Layout,
    ops::{Deref, DerefMut},
    pin::Pin,
    ptr::NonNull,
};
use pin_init::{PinInit, Zeroable};

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AllocError;

impl From<core::convert::Infallible> for AllocError {
    fn from(e: core::convert::Infallible) -> Self {
        match e {}
    }
}

#[derive(Clone, Copy)]
pub struct Flags(bindings::gfp_t);

impl Flags {
    pub const unsafe fn from_raw(flags: bindings::gfp_t) -> Self {
        Self(flags)
    }
    pub const fn as_raw(self) -> bindings::gfp_t {
        self.0
    }
}

impl core::ops::BitOr for Flags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[allow(non_upper_case_globals)]
pub mod flags {
    use super::{bindings, Flags};
    pub const GFP_KERNEL: Flags = Flags(1);
    pub const GFP_NOWAIT: Flags = Flags(2);
    pub const __GFP_HIGHMEM: Flags = Flags(4);
    pub const __GFP_MOVABLE: Flags = Flags(8);
    pub const __GFP_NORETRY: Flags = Flags(16);
    pub const __GFP_NOMEMALLOC: Flags = Flags(bindings::__GFP_NOMEMALLOC);
}

#[derive(Clone, Copy, PartialEq)]
pub struct NumaNode(i32);

impl NumaNode {
    pub const NO_NODE: Self = Self(-1);
    pub fn new(node: i32) -> Result<Self, Error> {
        match node {
            0 => Ok(Self(node)),
            _ => Err(EINVAL),
        }
    }
    pub unsafe fn from_possible(node: i32) -> Self {
        Self(node)
    }
    pub fn as_raw(self) -> i32 {
        self.0
    }
}

pub trait Allocator {
    fn alloc(layout: Layout, flags: Flags, nid: NumaNode) -> Result<NonNull<[u8]>, AllocError>;
    /// # Safety
    ///
    /// `ptr` must be from `alloc`, with that layout, and not be used any more.
    unsafe fn free(ptr: NonNull<u8>, layout: Layout);
}

pub mod allocator {
    pub struct KVmalloc;
}

impl Allocator for allocator::KVmalloc {
    fn alloc(layout: Layout, _: Flags, _: NumaNode) -> Result<NonNull<[u8]>, AllocError> {
        if bindings::fails(bindings::Fault::Memory) {
            return Err(AllocError);
        }
        let ptr = NonNull::new(sim::alloc(layout, "kvmalloc")).ok_or(AllocError)?;
        Ok(NonNull::slice_from_raw_parts(ptr, layout.size()))
    }
    unsafe fn free(ptr: NonNull<u8>, _: Layout) {
        sim::free(ptr.as_ptr());
    }
}

/// # Invariants
///
/// The pointer is from `sim::alloc` for a `T`, which is initialised, and ours alone.
pub struct KBox<T>(NonNull<T>);

// SAFETY: By the invariant it owns the `T`, as a `Box` does.
unsafe impl<T: Send> Send for KBox<T> {}
// SAFETY: By the invariant it owns the `T`, as a `Box` does.
unsafe impl<T: Sync> Sync for KBox<T> {}

impl<T> KBox<T> {
    fn room() -> Result<NonNull<T>, AllocError> {
        if bindings::fails(bindings::Fault::Memory) {
            return Err(AllocError);
        }
        NonNull::new(sim::alloc(Layout::new::<T>(), "kmalloc").cast()).ok_or(AllocError)
    }
    pub fn new(value: T, _: Flags) -> Result<Self, AllocError> {
        let ptr = Self::room()?;
        // SAFETY: Memory for a `T`, just allocated.
        unsafe { ptr.write(value) };
        // INVARIANT: Just written.
        Ok(Self(ptr))
    }
    pub fn zeroed_node(_: Flags, _: NumaNode) -> Result<Self, AllocError>
    where
        T: Zeroable,
    {
        let ptr = Self::room()?;
        // SAFETY: Memory for a `T`, just allocated; all zeroes is a valid `T`.
        unsafe { ptr.as_ptr().write_bytes(0, 1) };
        Ok(Self(ptr))
    }
    pub fn pin_init<E>(init: impl PinInit<T, E>, _: Flags) -> Result<Pin<Self>, Error>
    where
        Error: From<E>,
    {
        let ptr = Self::room()?;
        // SAFETY: Memory for a `T`, just allocated, which doesn't move.
        if let Err(error) = unsafe { pin_init::raw_try_init(ptr.as_ptr(), init) } {
            sim::free(ptr.as_ptr().cast());
            return Err(error.into());
        }
        // SAFETY: The `T` doesn't move until it is dropped: `Pin` lends no `&mut`.
        Ok(unsafe { Pin::new_unchecked(Self(ptr)) })
    }
    pub fn into_raw(this: Self) -> *mut T {
        core::mem::ManuallyDrop::new(this).0.as_ptr()
    }
    pub fn leak<'a>(this: Self) -> &'a mut T {
        // SAFETY: By the type invariant the `T` was ours; nobody frees it while this is used.
        unsafe { &mut *Self::into_raw(this) }
    }
    /// # Safety
    ///
    /// `ptr` must be from `into_raw`, and be passed once.
    pub unsafe fn from_raw(ptr: *mut T) -> Self {
        Self(NonNull::new(ptr).unwrap())
    }
}

impl<T> Deref for KBox<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: By the type invariant.
        unsafe { self.0.as_ref() }
    }
}

impl<T> DerefMut for KBox<T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: By the type invariant.
        unsafe { self.0.as_mut() }
    }
}

impl<T> Drop for KBox<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant; it isn't used any more.
        unsafe { self.0.drop_in_place() };
        sim::free(self.0.as_ptr().cast());
    }
}

/// A vector, whose memory no model tracks.
pub struct KVec<T>(Vec<T>);

impl<T> Default for KVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> KVec<T> {
    pub const fn new() -> Self {
        Self(Vec::new())
    }
    pub fn reserve(&mut self, additional: usize, _: Flags) -> Result<(), AllocError> {
        if bindings::fails(bindings::Fault::Memory) {
            return Err(AllocError);
        }
        self.0.reserve(additional);
        Ok(())
    }
    pub fn push(&mut self, value: T, flags: Flags) -> Result<(), AllocError> {
        if self.0.len() == self.0.capacity() {
            self.reserve(1, flags)?;
        }
        self.0.push(value);
        Ok(())
    }
    pub fn extend_from_slice(&mut self, other: &[T], flags: Flags) -> Result<(), AllocError>
    where
        T: Clone,
    {
        self.reserve(other.len(), flags)?;
        self.0.extend_from_slice(other);
        Ok(())
    }
}

impl<T> Deref for KVec<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for KVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

// SAFETY: The pointer is that of the box, as `from_foreign` and the borrows expect, and aligned to
// 16 bytes, like all memory from `sim::alloc`.
unsafe impl<T: 'static> ForeignOwnable for KBox<T> {
    const FOREIGN_ALIGN: usize = 16;
    type Borrowed<'a> = &'a T;
    type BorrowedMut<'a> = &'a mut T;
    fn into_foreign(self) -> *mut c_void {
        Self::into_raw(self).cast()
    }
    unsafe fn from_foreign(ptr: *mut c_void) -> Self {
        // SAFETY: By the requirement it is from `into_foreign`, which is `into_raw`.
        unsafe { Self::from_raw(ptr.cast()) }
    }
    unsafe fn borrow<'a>(ptr: *mut c_void) -> &'a T {
        // SAFETY: By the requirement it is from `into_foreign`, and not passed to `from_foreign`
        // meanwhile.
        unsafe { &*ptr.cast() }
    }
    unsafe fn borrow_mut<'a>(ptr: *mut c_void) -> &'a mut T {
        // SAFETY: As above, and there is no other borrow.
        unsafe { &mut *ptr.cast() }
    }
}
