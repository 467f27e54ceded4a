// SPDX-License-Identifier: GPL-2.0

//! Atomic words. Memory has a word's initial value: a word can be created in a constant, and is as
//! large as in the kernel. Its value in this execution is looked up by its address.

use crate::sim::{Shadow, Word};
use core::cell::UnsafeCell;
pub use ordering::{Acquire, Full, Relaxed, Release};
use ordering::{AcquireOrRelaxed, Any, ReleaseOrRelaxed};
use std::rc::Rc;

pub mod ordering {
    //! The kernel's memory orderings, each a type.

    pub use std::sync::atomic::Ordering;

    pub struct Relaxed;
    pub struct Acquire;
    pub struct Release;
    pub struct Full;

    pub trait Any {
        const ORDER: Ordering;
    }
    pub trait AcquireOrRelaxed: Any {}
    pub trait ReleaseOrRelaxed: Any {}

    impl Any for Relaxed {
        const ORDER: Ordering = Ordering::Relaxed;
    }
    impl Any for Acquire {
        const ORDER: Ordering = Ordering::Acquire;
    }
    impl Any for Release {
        const ORDER: Ordering = Ordering::Release;
    }
    impl Any for Full {
        const ORDER: Ordering = Ordering::AcqRel;
    }
    impl AcquireOrRelaxed for Relaxed {}
    impl AcquireOrRelaxed for Acquire {}
    impl ReleaseOrRelaxed for Relaxed {}
    impl ReleaseOrRelaxed for Release {}
}

/// A type that fits into a word.
pub trait Value: Copy {
    /// Whether all orders of accesses are tried: not those of counters.
    const FOLLOWED: bool;
    /// Whether it is a pointer.
    const POINTER: bool = false;
    fn into_word(self) -> u64;
    fn from_word(word: u64) -> Self;
}

macro_rules! values {
    ($($type:ty: $followed:literal;)*) => {
        $(impl Value for $type {
            const FOLLOWED: bool = $followed;
            fn into_word(self) -> u64 {
                self as u64
            }
            fn from_word(word: u64) -> Self {
                word as Self
            }
        })*
    };
}
// Some counters are an `u64`; but so is what has an object's tag.
values! { usize: true; u32: false; i32: false; u64: true; isize: true; }

impl Value for bool {
    const FOLLOWED: bool = true;
    fn into_word(self) -> u64 {
        self.into()
    }
    fn from_word(word: u64) -> Self {
        word != 0
    }
}

impl<T> Value for *mut T {
    const FOLLOWED: bool = true;
    const POINTER: bool = true;
    fn into_word(self) -> u64 {
        self as u64
    }
    fn from_word(word: u64) -> Self {
        word as Self
    }
}

#[repr(transparent)]
pub struct Atomic<T: Value>(UnsafeCell<T>);

// SAFETY: A value is a number or a pointer, which any thread may have: dereferencing it is
// `unsafe`.
unsafe impl<T: Value> Send for Atomic<T> {}
// SAFETY: The memory is only read: the value is in the world's word, which the checker shares.
unsafe impl<T: Value> Sync for Atomic<T> {}

impl<T: Value> Atomic<T> {
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// # Safety
    ///
    /// `ptr` must be valid during `'a`, and its target be changed only through this.
    pub unsafe fn from_ptr<'a>(ptr: *mut T) -> &'a Self {
        // SAFETY: By the requirement; `Self` is transparent.
        unsafe { &*ptr.cast() }
    }

    pub const fn as_ptr(&self) -> *mut T {
        self.0.get()
    }

    fn word(&self) -> Rc<Word> {
        // SAFETY: The target isn't changed.
        let initial = unsafe { *self.0.get() }.into_word();
        Word::in_memory(self.0.get() as usize, T::FOLLOWED, initial)
    }

    pub fn load<O: AcquireOrRelaxed>(&self, _: O) -> T {
        let word = self.word().load(O::ORDER);
        // A caller that loads a pointer goes on to access what it points to.
        if T::POINTER {
            if let Some(memory) = Shadow::at(word as usize) {
                memory.read();
            }
        }
        T::from_word(word)
    }

    pub fn store<O: ReleaseOrRelaxed>(&self, value: T, _: O) {
        self.word().store(value.into_word(), O::ORDER);
    }

    pub fn xchg<O: Any>(&self, value: T, _: O) -> T {
        T::from_word(self.word().swap(value.into_word(), O::ORDER))
    }

    pub fn cmpxchg<O: Any>(&self, old: T, new: T, _: O) -> Result<T, T> {
        let ret = self
            .word()
            .cmpxchg(old.into_word(), new.into_word(), O::ORDER);
        ret.map(T::from_word).map_err(T::from_word)
    }

    pub fn fetch_add<O: Any>(&self, value: T, _: O) -> T {
        T::from_word(self.word().add(value.into_word(), O::ORDER))
    }

    pub fn fetch_sub<O: Any>(&self, value: T, _: O) -> T {
        T::from_word(self.word().add(value.into_word().wrapping_neg(), O::ORDER))
    }
}

impl<T: Value> Drop for Atomic<T> {
    fn drop(&mut self) {
        Word::forget(self.0.get() as usize);
    }
}
