// SPDX-License-Identifier: GPL-2.0

//! The XArray, replaced at its API. It guarantees less than C's: lockless reads are unordered, and
//! an array that isn't published yet can't be used.

use crate::{
    alloc::Flags,
    bindings,
    error::{code::ENOMEM, Error},
    ffi::c_void,
    sim::{self, Lock, Promise, Shadow, Word},
    str::CStr,
    sync::LockClassKey,
    types::ForeignOwnable,
};
use core::{cell::RefCell, marker::PhantomData, pin::Pin, ptr::NonNull};
use pin_init::PinInit;
use std::{
    collections::BTreeMap,
    rc::Rc,
    sync::atomic::Ordering::{Relaxed, Release},
};

pub struct XArray<T> {
    _room: usize,
    _p: PhantomData<(T, fn(T) -> T)>,
}

/// The result of `load`.
pub struct Unguarded<'a, T> {
    ptr: NonNull<c_void>,
    _xa: PhantomData<&'a XArray<T>>,
}

impl<'a, T: ForeignOwnable> Unguarded<'a, T> {
    /// # Safety
    ///
    /// As in the kernel.
    pub unsafe fn borrow<'b>(&self) -> T::Borrowed<'b>
    where
        'a: 'b,
        T: 'b,
    {
        // SAFETY: By the requirement.
        unsafe { T::borrow(self.ptr.as_ptr()) }
    }
}

// SAFETY: It contains no `T`, only words that the checker shares, and lends none: `store` and
// `erase` move a `T` in and out, possibly between tasks, which `Send` allows; borrowing the result
// of `load` is unsafe.
unsafe impl<T: Send> Sync for XArray<T> {}

#[derive(Debug)]
pub struct StoreError<T> {
    pub error: Error,
    pub value: T,
}

/// The contents of an array.
struct Array {
    /// Not null if there is an element: C's `xa_head`.
    head: Rc<Word>,
    slots: RefCell<BTreeMap<usize, Rc<Word>>>,
    /// The array as it was initialised.
    memory: Rc<Shadow>,
}

impl<T: ForeignOwnable> XArray<T> {
    pub fn new_plain(_: &'static CStr, _: Pin<&'static LockClassKey>) -> impl PinInit<Self> {
        // SAFETY: It is empty.
        unsafe {
            pin_init::pin_init_from_closure(|slot: *mut Self| {
                (*slot)._room = 0;
                let at = slot as usize;
                sim::value(at, || Array {
                    head: Word::at(at, true, || 0),
                    slots: Default::default(),
                    memory: Shadow::new(),
                });
                Ok::<(), core::convert::Infallible>(())
            })
        }
    }

    fn at(&self) -> usize {
        core::ptr::from_ref(self) as usize
    }

    fn array(&self) -> Rc<Array> {
        let array = sim::try_value::<Array>(self.at()).expect("the array is initialised");
        array.memory.read();
        array
    }

    fn slot(&self, index: usize) -> Rc<Word> {
        let array = self.array();
        let mut slots = array.slots.borrow_mut();
        // A name for the word: not an existing address.
        let name = self.at().wrapping_mul(1 << 16) | index << 1 | 1;
        let slot = slots.entry(index);
        slot.or_insert_with(|| Word::at(name, true, || 0)).clone()
    }

    fn lock(&self) -> Rc<Lock> {
        let lock = Lock::at(self.at(), Some(Promise::ArrayLock));
        lock.lock();
        lock
    }

    fn nr(&self) -> usize {
        let array = self.array();
        let slots: Vec<_> = array.slots.borrow().values().cloned().collect();
        slots.iter().filter(|slot| slot.load(Relaxed) != 0).count()
    }

    pub fn is_empty(&self) -> bool {
        self.array().head.load(Relaxed) == 0
    }

    pub fn load(&self, index: usize) -> Option<Unguarded<'_, T>> {
        let ptr = NonNull::new(self.slot(index).load(Relaxed) as *mut c_void)?;
        // Callers go on to access the array.
        if let Some(memory) = Shadow::at(ptr.as_ptr() as usize) {
            memory.read();
        }
        Some(Unguarded {
            ptr,
            _xa: PhantomData,
        })
    }

    pub fn erase(&self, index: usize) -> Option<T> {
        let slot = self.slot(index);
        let lock = self.lock();
        let old = slot.swap(0, Relaxed);
        if old != 0 {
            let head = self.array().head.clone();
            head.store(head.load(Relaxed) - 1, Relaxed);
        }
        lock.unlock();
        // SAFETY: Null, or from `into_foreign`, and no longer in the array.
        unsafe { T::try_from_foreign(old as *mut c_void) }
    }

    pub fn store(&self, index: usize, value: T, gfp: Flags) -> Result<Option<T>, StoreError<T>> {
        self.store_and_load(index, value, gfp).map(|(_, old)| old)
    }

    pub fn store_and_load(
        &self,
        index: usize,
        value: T,
        _: Flags,
    ) -> Result<(Unguarded<'_, T>, Option<T>), StoreError<T>> {
        if bindings::fails(bindings::Fault::Memory) {
            let error = ENOMEM;
            return Err(StoreError { error, value });
        }
        let new = value.into_foreign();
        let slot = self.slot(index);
        let lock = self.lock();
        let old = slot.swap(new as u64, Relaxed);
        if old == 0 {
            let head = self.array().head.clone();
            head.store(head.load(Relaxed) + 1, Relaxed);
        }
        lock.unlock();
        let stored = Unguarded {
            ptr: NonNull::new(new).unwrap(),
            _xa: PhantomData,
        };
        // SAFETY: As in `erase`.
        Ok((stored, unsafe { T::try_from_foreign(old as *mut c_void) }))
    }
}

impl<T> Drop for XArray<T> {
    fn drop(&mut self) {
        let at = core::ptr::from_ref(self) as usize;
        if let Some(array) = sim::try_value::<Array>(at) {
            array.memory.write();
            for index in array.slots.borrow().keys() {
                Word::forget(at.wrapping_mul(1 << 16) | index << 1 | 1);
            }
            // Remaining elements would be dropped here; models check for them, and they are an
            // error.
        }
        Word::forget(at);
        Lock::forget(at);
        sim::forget_value(at);
    }
}
