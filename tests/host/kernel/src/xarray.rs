// SPDX-License-Identifier: GPL-2.0

//! The XArray, replaced at its API. A lockless read that finds an element is an acquire: loom has no
//! dependencies, which are all that C guarantees. One that finds none orders nothing, and an array that
//! isn't published yet can't be used.

use crate::{
    alloc::Flags,
    bindings,
    error::{
        code::{EBUSY, ENOMEM},
        Error,
    },
    ffi::c_void,
    sim::{self, keeps, Lock, Promise, Shadow, Word},
    str::CStr,
    sync::LockClassKey,
    types::ForeignOwnable,
};
use core::{cell::RefCell, marker::PhantomData, pin::Pin, ptr::NonNull};
use pin_init::PinInit;
use std::{
    collections::BTreeMap,
    rc::Rc,
    sync::atomic::Ordering::{Acquire, Relaxed, Release},
};

pub struct XArray<T> {
    _room: usize,
    _p: PhantomData<(T, fn(T) -> T)>,
}

// SAFETY: It contains no `T`, only words that the checker shares, and lends none: `insert` and
// `remove` move a `T` in and out, possibly between tasks, which `Send` allows; `load` returns a pointer.
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

    fn lock_array(&self) -> Rc<Lock> {
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

    pub fn load(&self, index: usize) -> Option<NonNull<c_void>> {
        // rcu_dereference(): what the pointer leads to is ordered, by the dependency.
        let ptr = NonNull::new(self.slot(index).load(Acquire) as *mut c_void)?;
        // Callers go on to access the element.
        Shadow::live(ptr.as_ptr() as usize).read();
        Some(ptr)
    }

    pub fn insert(&self, index: usize, value: T, _: Flags) -> Result<(), StoreError<T>> {
        if bindings::fails(bindings::Fault::Memory) {
            let error = ENOMEM;
            return Err(StoreError { error, value });
        }
        let slot = self.slot(index);
        let lock = self.lock_array();
        let ret = if slot.load(Relaxed) == 0 {
            // The way to an element is there before the element.
            let head = self.array().head.clone();
            head.store(head.load(Relaxed) + 1, Relaxed);
            slot.store(value.into_foreign() as u64, Release); // rcu_assign_pointer()
            Ok(())
        } else {
            if !keeps(Promise::ArrayLock) {
                // The lock would have waited for a task that is removing it.
                sim::relax();
            }
            let error = EBUSY;
            Err(StoreError { error, value })
        };
        lock.unlock();
        ret
    }

    pub fn lock(&self) -> Guard<'_, T> {
        Guard {
            xa: self,
            lock: self.lock_array(),
        }
    }
}

/// The array's lock is held.
pub struct Guard<'a, T: ForeignOwnable> {
    xa: &'a XArray<T>,
    lock: Rc<Lock>,
}

impl<T: ForeignOwnable> Guard<'_, T> {
    pub fn remove(&mut self, index: usize) -> Option<T> {
        let slot = self.xa.slot(index);
        let old = slot.load(Relaxed);
        if old != 0 {
            slot.store(0, Relaxed);
            let head = self.xa.array().head.clone();
            head.store(head.load(Relaxed) - 1, Relaxed);
        }
        // SAFETY: Null, or from `into_foreign`, and no longer in the array.
        unsafe { T::try_from_foreign(old as *mut c_void) }
    }
}

impl<T: ForeignOwnable> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.lock.unlock();
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
