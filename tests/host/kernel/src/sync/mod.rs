// SPDX-License-Identifier: GPL-2.0

//! Locks and references, replaced at their API.

pub mod aref;
pub mod atomic;

use crate::{
    alloc::{Flags, KBox},
    error::{Error, Result},
    sim::{self, Lock},
    str::CStr,
};
use core::{
    cell::{Cell, UnsafeCell},
    marker::PhantomPinned,
    mem::ManuallyDrop,
    ops::{Deref, DerefMut},
    pin::Pin,
};
use pin_init::PinInit;
use std::rc::Rc;

pub struct LockClassKey;

/// A lock with its data. Always exclusive: that isn't a guarantee that can be weakened.
pub struct Mutex<T> {
    value: UnsafeCell<T>,
    _pin: PhantomPinned,
}

pub use Guard as MutexGuard;
pub use Mutex as SpinLock;
pub use Mutex as SpinLockIrq;

// SAFETY: It owns the value.
unsafe impl<T: Send> Send for Mutex<T> {}
// SAFETY: The value is accessible only with the lock, by one task at a time; moving it between
// tasks requires `T: Send`.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    pub fn new(value: T, _: &'static CStr, _: Pin<&'static LockClassKey>) -> impl PinInit<Self> {
        Self {
            value: UnsafeCell::new(value),
            _pin: PhantomPinned,
        }
    }

    pub fn lock(&self) -> Guard<'_, T> {
        let lock = Lock::at(core::ptr::from_ref(self) as usize, None);
        lock.lock();
        // INVARIANT: Just taken, by the mutex's address.
        Guard { mutex: self, lock }
    }
}

impl<T> Drop for Mutex<T> {
    fn drop(&mut self) {
        Lock::forget(core::ptr::from_ref(self) as usize);
    }
}

/// # Invariants
///
/// `lock` is that of `mutex`, and was taken for this guard.
pub struct Guard<'a, T> {
    mutex: &'a Mutex<T>,
    lock: Rc<Lock>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: By the type invariant the lock, and so the value, is ours alone; lending it
        // mutably borrows `self` mutably.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: By the type invariant the lock, and so the value, is ours alone; lending it
        // mutably borrows `self` mutably.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.lock.unlock();
    }
}

/// A counted reference. The checker doesn't track the count: the models don't depend on it.
///
/// # Invariants
///
/// The pointer is from `sim::alloc`, to a count and a pinned `T`. The count is the number of
/// references.
pub struct Arc<T>(*mut (Cell<usize>, T));

// SAFETY: It gives access to `&T`, and dropping the last one drops the `T`: both may happen in any
// task as `T` is `Sync` and `Send`. The count is a cell, but a model's tasks are coroutines of one
// host thread, and don't yield while they count.
unsafe impl<T: Send + Sync> Send for Arc<T> {}
// SAFETY: As above: a `&Arc<T>` gives `&T`, and can be cloned.
unsafe impl<T: Send + Sync> Sync for Arc<T> {}

impl<T> Arc<T> {
    pub fn pin_init<E>(init: impl PinInit<T, E>, flags: Flags) -> Result<Self>
    where
        Error: From<E>,
    {
        let room: KBox<core::mem::MaybeUninit<(Cell<usize>, T)>> =
            KBox::new(core::mem::MaybeUninit::uninit(), flags)?;
        let ptr = KBox::into_raw(room).cast::<(Cell<usize>, T)>();
        // SAFETY: Memory for both, just allocated, and ours alone: the `T` is initialised in its
        // final place. If that fails there is no `T`, and the memory is freed.
        unsafe {
            (&raw mut (*ptr).0).write(Cell::new(1));
            if let Err(error) = pin_init::raw_try_init(&raw mut (*ptr).1, init) {
                sim::free(ptr.cast());
                return Err(error.into());
            }
        }
        // INVARIANT: The count is 1, for this reference.
        Ok(Self(ptr))
    }
}

impl<T> Clone for Arc<T> {
    fn clone(&self) -> Self {
        // SAFETY: By the type invariant it is alive, as we have a reference.
        let count = unsafe { &(*self.0).0 };
        count.set(count.get() + 1);
        // INVARIANT: Just counted.
        Self(self.0)
    }
}

impl<T> Deref for Arc<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: By the type invariant it is alive as long as we have a reference.
        unsafe { &(*self.0).1 }
    }
}

impl<T> Drop for Arc<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant it is alive as long as we have a reference.
        let count = unsafe { &(*self.0).0 };
        count.set(count.get() - 1);
        if count.get() == 0 {
            // SAFETY: By the type invariant there is no other reference, and ours ends here.
            unsafe { self.0.drop_in_place() };
            sim::free(self.0.cast());
        }
    }
}

/// A value that is set once in an execution. (Models set it before they start threads.)
pub struct SetOnce<T>(core::marker::PhantomData<T>, u8);

// SAFETY: It contains no `T`: the world has it, by this one's address.
unsafe impl<T: Send> Send for SetOnce<T> {}
// SAFETY: A `T` comes from the task that calls `populate`, which `Send` allows, and is lent to all
// tasks, which `Sync` allows. It is never changed.
unsafe impl<T: Send + Sync> Sync for SetOnce<T> {}

impl<T: 'static> SetOnce<T> {
    pub const fn new() -> Self {
        Self(core::marker::PhantomData, 0)
    }

    pub fn as_ref(&self) -> Option<&T> {
        let value = sim::try_value::<ManuallyDrop<T>>(core::ptr::from_ref(self) as usize)?;
        // SAFETY: The world keeps it to the end, and doesn't change it.
        Some(unsafe { &*Rc::as_ptr(&value) })
    }

    pub fn populate(&self, value: T) -> bool {
        let at = core::ptr::from_ref(self) as usize;
        let is_new = sim::try_value::<ManuallyDrop<T>>(at).is_none();
        sim::value(at, || ManuallyDrop::new(value));
        is_new
    }
}

/// RCU: doesn't wait for each reader, but memory that readers can see isn't reused before the work
/// that frees it runs, after a model has joined its threads.
pub mod rcu {
    pub struct Guard(());

    pub fn read_lock() -> Guard {
        Guard(())
    }

    pub fn synchronize_rcu() {}
}
