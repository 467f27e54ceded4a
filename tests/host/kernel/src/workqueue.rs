// SPDX-License-Identifier: GPL-2.0

//! Workqueues, replaced at their API: work runs when a model calls [`run`].

use crate::{
    alloc::KBox,
    sim,
    str::CStr,
    sync::{Arc, LockClassKey},
};
use core::{marker::PhantomData, pin::Pin};
use pin_init::PinInit;

pub struct Work<T>(PhantomData<fn(T)>);

impl<T> Work<T> {
    pub fn new(_: &'static CStr, _: Pin<&'static LockClassKey>) -> impl PinInit<Self> {
        Self(PhantomData)
    }
}

pub trait WorkItem {
    type Pointer;
    fn run(this: Self::Pointer);
}

/// A pointer to work.
pub trait Pointer: 'static {
    type Item: WorkItem<Pointer = Self>;
    /// Whether it can be queued again before it has run.
    const ONCE: bool;
    fn address(&self) -> usize;
}

impl<T: WorkItem<Pointer = Self> + 'static> Pointer for Arc<T> {
    type Item = T;
    const ONCE: bool = false;
    fn address(&self) -> usize {
        core::ptr::from_ref::<T>(self) as usize
    }
}

impl<T: WorkItem<Pointer = Self> + 'static> Pointer for Pin<KBox<T>> {
    type Item = T;
    const ONCE: bool = true;
    fn address(&self) -> usize {
        core::ptr::from_ref::<T>(self) as usize
    }
}

pub struct Queue(());

impl Queue {
    pub fn enqueue<P: Pointer>(&self, work: P) {
        queue(work.address(), Box::new(move || P::Item::run(work)));
    }
}

pub fn system_percpu() -> Queue {
    Queue(())
}

/// Queues the work at an address, unless it is queued.
pub fn queue(address: usize, work: Box<dyn FnOnce()>) {
    let mut queue = sim::world().c.work.borrow_mut();
    if !queue.iter().any(|(queued, _)| *queued == address) {
        queue.push((address, work));
    }
}

/// Runs the queued work. Returns whether there was any.
pub fn run() -> bool {
    let queue = core::mem::take(&mut *sim::world().c.work.borrow_mut());
    let any = !queue.is_empty();
    queue.into_iter().for_each(|(_, work)| work());
    // SAFETY: Queued work stays alive until it has run.
    unsafe { crate::bindings::complete_io() };
    any
}
