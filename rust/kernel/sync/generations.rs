// SPDX-License-Identifier: GPL-2.0

//! Generations of an object, reference-counted by `percpu_ref` and read under RCU.
//!
//! This is an idiom of C, used by mm/zswap.c for its pools. The first object of a list is current.
//! The others are retired, and stay on the list until their last reference is gone, so that readers
//! still find them. A retired object can be made current again. The reference count scales to
//! millions of references, and can reach zero in any context; a worker destroys the object.
//!
//! Each object has a number below [`MAX_OBJECTS`], so that a reference fits into a byte of something that
//! there are millions of: [`Ref::into_number`].
//!
//! | state      | on the list | initial reference | owner                  |
//! |------------|-------------|-------------------|------------------------|
//! | `Detached` | no          | yes, or killed    | the holder alone       |
//! | current    | first       | yes               | the list               |
//! | retired    | yes         | killed            | all references         |
//! | dying      | no          | killed            | the worker             |
//!
//! C headers: [`include/linux/percpu-refcount.h`](srctree/include/linux/percpu-refcount.h),
//! [`include/linux/rculist.h`](srctree/include/linux/rculist.h)

use crate::{
    alloc::KBox,
    bindings, container_of,
    error::{
        code::ENOSPC,
        Error,
        Result, //
    },
    ffi::c_void,
    impl_has_work,
    prelude::*,
    static_lock_class,
    sync::{
        atomic::{
            ordering::{
                Acquire,
                Full,
                Relaxed,
                Release as ReleaseOrder, //
            },
            Atomic,
        },
        percpu_ref::{
            PercpuRef,
            Release, //
        },
        rcu,
        LockClassKey,
        SpinLockIrq, //
    },
    types::Opaque,
    workqueue::{
        self,
        Work,
        WorkItem, //
    },
};
use core::{
    marker::PhantomData,
    mem::ManuallyDrop,
    ops::Deref,
    ptr::NonNull, //
};
use pin_init::{
    pin_data,
    pin_init,
    PinInit, //
};

/// Marks a type as invariant in `T`.
type Invariant<T> = fn(T) -> T;

/// Objects of one type that there can be at a time, on all its lists.
pub const MAX_OBJECTS: usize = 1 << u8::BITS;

/// What to wait for if all numbers are taken: an object that nobody uses has its number until it is freed,
/// two grace periods later.
const GRACE_PERIODS: u32 = 4;

/// A type whose values may be objects of a [`Generations`]. Implemented by [`impl_generation!`].
///
/// # Safety
///
/// `numbers()` must always return the same numbers, and no other implementation may return them.
///
/// [`impl_generation!`]: crate::impl_generation
pub unsafe trait Generation: Send + Sync + Sized + 'static {
    /// The numbers of the type's objects.
    fn numbers() -> &'static Numbers<Self>;
}

/// Implements [`Generation`](kernel::sync::generations::Generation) for a type.
///
/// ```ignore
/// impl_generation! { impl Generation for MyPool }
/// ```
#[macro_export]
macro_rules! impl_generation {
    (impl Generation for $self:ty) => {
        // SAFETY: It is the `static` in the body of this function. Items of a macro aren't hygienic, but
        // their scope is that body, and of the caller's only the type is expanded there.
        unsafe impl $crate::sync::generations::Generation for $self {
            #[inline]
            fn numbers() -> &'static $crate::sync::generations::Numbers<Self> {
                static NUMBERS: $crate::sync::generations::Numbers<$self> =
                    $crate::sync::generations::Numbers::new();
                &NUMBERS
            }
        }
    };
}

/// The numbers of a type's objects, on all its lists.
///
/// # Invariants
///
/// A pointer is null, or is that of a number which is taken: the node that has it, from when there is one.
// Aligned, so that the first ones, which are read for each reference, share no cache line with others' data.
#[repr(align(64))]
pub struct Numbers<T: Generation> {
    nodes: [Atomic<*mut c_void>; MAX_OBJECTS],
    _p: PhantomData<Invariant<T>>,
}

impl<T: Generation> Numbers<T> {
    /// No objects. For [`impl_generation!`](crate::impl_generation).
    #[doc(hidden)]
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self {
            nodes: [const { Atomic::new(core::ptr::null_mut()) }; MAX_OBJECTS],
            _p: PhantomData,
        }
    }

    /// Takes the lowest number that is free. May sleep. Fails with `ENOSPC`.
    fn take(&'static self) -> Result<Number> {
        for _ in 0..GRACE_PERIODS {
            if let Some(number) = self.try_take() {
                return Ok(number);
            }
            rcu::synchronize_rcu();
        }
        self.try_take().ok_or(ENOSPC)
    }

    fn try_take(&'static self) -> Option<Number> {
        let taken = core::ptr::without_provenance_mut(1);
        for (n, node) in (0..=u8::MAX).zip(&self.nodes) {
            // Full: after what the last owner did.
            // INVARIANT: No node has the number yet.
            if node.cmpxchg(core::ptr::null_mut(), taken, Full).is_ok() {
                return Some(Number { n, node });
            }
        }
        None
    }

    #[inline]
    fn node(&self, n: u8) -> *mut Node<T> {
        self.nodes[usize::from(n)].load(Relaxed).cast()
    }
}

/// A number that is taken: free again when dropped.
struct Number {
    n: u8,
    node: &'static Atomic<*mut c_void>,
}

impl Drop for Number {
    fn drop(&mut self) {
        // Release: its next owner comes after what was done with it.
        self.node.store(core::ptr::null_mut(), ReleaseOrder);
    }
}

/// The list of generations of a `T`. See [the module](self).
///
/// A shared reference suffices to put objects on the list. So the list is invariant in `T`, as is
/// every type that refers to it or to its objects.
///
/// Lock order: its lock nests inside any other, and no lock is taken under it.
///
/// # Invariants
///
/// - `head` is the head of an RCU list of the `links` of `Node<T>`s, changed only under `lock`.
/// - A node is on the list or has a reference (or both). A node whose references are gone is
///   removed from the list, and freed after an RCU grace period.
/// - All nodes but the first are killed, or about to be killed by the task that has put another one
///   before them.
///
/// # Examples
///
/// ```
/// use kernel::sync::{generations::Generations, SetOnce};
///
/// struct Config {
///     limit: u32,
/// }
///
/// static CONFIGS: SetOnce<Pin<KBox<Generations<Config>>>> = SetOnce::new();
///
/// kernel::impl_generation! { impl Generation for Config }
///
/// CONFIGS.populate(KBox::pin_init(kernel::builtin_generations!(), GFP_KERNEL)?);
/// let configs = CONFIGS.as_ref().ok_or(ENOMEM)?;
///
/// let config = configs.create(init!(Config { limit: 1 }? Error))?;
/// config.make_current();
/// let old = configs.current().ok_or(ENOENT)?;
/// let config = configs.create(init!(Config { limit: 2 }? Error))?;
/// config.make_current();
///
/// // An owner of a retired one can go on using it; it is freed with its last reference.
/// assert_eq!(old.limit, 1);
/// assert_eq!(configs.current().ok_or(ENOENT)?.limit, 2);
/// # Ok::<(), Error>(())
/// ```
#[pin_data]
pub struct Generations<T: Send + Sync + 'static> {
    #[pin]
    lock: SpinLockIrq<()>,
    #[pin]
    head: Opaque<bindings::list_head>,
    // It owns nodes, and accepts them through a shared reference.
    _p: PhantomData<(Node<T>, Invariant<T>)>,
}

// SAFETY: The list is changed only under its lock, and owns `T`s.
unsafe impl<T: Send + Sync> Send for Generations<T> {}
// SAFETY: The list is changed only under its lock, read under RCU, and gives access to `&T`.
unsafe impl<T: Send + Sync> Sync for Generations<T> {}

/// An object of a [`Generations`].
///
/// # Invariants
///
/// `links` is initialised.
#[pin_data]
struct Node<T: Send + Sync + 'static> {
    #[pin]
    data: T,
    #[pin]
    refs: PercpuRef,
    #[pin]
    links: Opaque<bindings::list_head>,
    #[pin]
    work: Work<Node<T>>,
    list: &'static Generations<T>,
    // Last: free when all else is gone.
    number: Number,
}

// SAFETY: Its C fields are bound to no thread; `T: Send`, and `&'static Generations<T>` is `Send`.
unsafe impl<T: Send + Sync> Send for Node<T> {}
// SAFETY: Its C fields have their own locking; `T: Sync`.
unsafe impl<T: Send + Sync> Sync for Node<T> {}

impl_has_work! {
    impl{T: Send + Sync + 'static} HasWork<Node<T>> for Node<T> { self.work }
}

impl<T: Send + Sync> WorkItem for Node<T> {
    type Pointer = Pin<KBox<Self>>;

    /// Frees a node that has no references and is off the list.
    fn run(node: Pin<KBox<Self>>) {
        // A reader may have found the node before it was removed from the list.
        rcu::synchronize_rcu();
        // No reader can have taken a reference.
        crate::warn_on_once!(!node.refs.is_zero());
        drop(node);
    }
}

impl<T: Send + Sync> Release for Node<T> {
    /// Called when the last reference is gone: unlinks the node and leaves the rest to a worker.
    ///
    /// Runs in the context of the last `percpu_ref_put()`: possibly under spin locks with
    /// interrupts off, or in RCU's softirq.
    unsafe fn released(refs: NonNull<PercpuRef>) {
        // SAFETY: The caller guarantees that `refs` was made for this type. `create` makes it, as that
        // field of a node, which it leaks from a `Pin<KBox<Node<T>>>`.
        let node = unsafe { container_of!(refs.as_ptr(), Self, refs) };
        {
            // SAFETY: The work queued below frees the node, so it isn't freed before.
            let node = unsafe { &*node };
            let _lock = node.list.lock.lock();
            // The current object has its initial reference.
            crate::warn_on_once!(!node.is_killed());
            // SAFETY: By the invariant of `Generations` a node without references is on the list,
            // which is locked by us.
            unsafe { bindings::list_del_rcu(node.links.get()) };
        }
        // SAFETY: The node came out of such a box. With no reference left and off the list, it is
        // ours alone. Readers that still see it have only a `&`, until the worker's grace period is
        // over, and the box isn't used mutably before.
        let node = unsafe { Pin::new_unchecked(KBox::from_raw(node)) };
        workqueue::system_percpu().enqueue(node);
    }
}

impl<T: Send + Sync> Node<T> {
    /// Whether the initial reference was given up. For the holder of the `Detached` the answer is
    /// stable. Other callers may get a stale answer, and tolerate that: a node that is being killed
    /// is either not taken yet, or is resurrected after the kill has completed, since C takes a
    /// lock for both.
    fn is_killed(&self) -> bool {
        self.refs.is_dying()
    }

    /// Takes a pointer, since the node can be freed before this returns.
    ///
    /// # Safety
    ///
    /// The caller must own a reference, which it gives up.
    unsafe fn put(node: NonNull<Self>) {
        // SAFETY: Until the put the caller's reference keeps the node.
        unsafe { PercpuRef::put(NonNull::new_unchecked(&raw mut (*node.as_ptr()).refs)) }
    }
}

/// Creates an empty [`Generations`](kernel::sync::generations::Generations) of built-in code.
///
/// Its lock has the given name, or the field's, and its own lock class.
#[macro_export]
macro_rules! builtin_generations {
    () => {
        $crate::builtin_generations!(c"Generations::lock")
    };
    ($name:expr) => {{
        #[cfg(MODULE)]
        ::core::compile_error!("builtin_generations! is for built-in code");
        let name: &'static $crate::str::CStr = $name;
        // SAFETY: This is built in, as just checked, and so is the code of `T`.
        unsafe { $crate::sync::generations::Generations::new(name, $crate::static_lock_class!()) }
    }};
}

impl<T: Send + Sync> Generations<T> {
    /// Creates an empty list, whose lock has this name and class. For [`builtin_generations!`].
    ///
    /// [`builtin_generations!`]: crate::builtin_generations
    ///
    /// # Safety
    ///
    /// The code of `T`, including what is instantiated for it here, must never be unloaded: it must
    /// be built in. (C calls it when the last reference is gone, or a grace period later.)
    #[doc(hidden)]
    pub unsafe fn new(
        name: &'static CStr,
        class: Pin<&'static LockClassKey>,
    ) -> impl PinInit<Self> {
        // INVARIANT: The list is empty.
        pin_init!(Self {
            lock <- SpinLockIrq::new((), name, class),
            // SAFETY: `slot` is valid for writes and pinned.
            head <- Opaque::ffi_init(|slot| unsafe { bindings::INIT_LIST_HEAD(slot) }),
            _p: PhantomData,
        })
    }

    /// Creates an object for this list, not on the list yet. May sleep.
    ///
    /// Fails with `ENOSPC` if there are [`MAX_OBJECTS`] of the type, after it has waited for those that are
    /// about to go.
    pub fn create(&'static self, init: impl PinInit<T, Error>) -> Result<Detached<T>>
    where
        T: Generation,
    {
        static NAME: &CStr = c"Generations::release";
        let number = T::numbers().take()?;
        let node = KBox::pin_init(
            try_pin_init!(Node {
                data <- init,
                // SAFETY: It is part of a node that `KBox::into_raw` below leaks, until `released`
                // makes it a box again. The code is never unloaded, as `new` requires.
                refs <- unsafe { PercpuRef::new::<Node<T>>() },
                // SAFETY: `links` is valid for writes and pinned.
                links <- Opaque::ffi_init(|links| unsafe { bindings::INIT_LIST_HEAD(links) }),
                work <- Work::new(NAME, static_lock_class!()),
                list: self,
                number,
            }? Error),
            GFP_KERNEL,
        )?;
        // SAFETY: The node doesn't move until `released` makes it a box again.
        let node = KBox::into_raw(unsafe { Pin::into_inner_unchecked(node) });
        // SAFETY: Just made, and not published.
        // INVARIANT: The node has that number.
        unsafe { (*node).number.node.store(node.cast(), Relaxed) };
        // INVARIANT: The node is new, off the list, and has its initial reference, which becomes
        // ours.
        Ok(Detached {
            // SAFETY: A box is not null.
            node: unsafe { NonNull::new_unchecked(node) },
        })
    }

    /// Calls `f` with each object from the first on, until it returns `Some`. Holds the RCU read
    /// lock.
    fn find_node<R>(&self, f: impl Fn(&Node<T>) -> Option<R>) -> Option<R> {
        let _rcu = rcu::read_lock();
        let head = self.head.get();
        let mut links = head;
        loop {
            // SAFETY: `links` is the head, or the links of a node that was on the list during this
            // RCU read section and isn't freed before its end. Writers use the RCU list functions;
            // acquire is stronger than the dependency ordering needed here.
            let next = unsafe { Atomic::from_ptr(&raw mut (*links).next) }.load(Acquire);
            if next == head {
                return None;
            }
            // SAFETY: By the invariant `next` is the `links` of a node; it isn't freed, as above.
            let node =
                unsafe { &*container_of!(Opaque::cast_from(next).cast_mut(), Node<T>, links) };
            if let Some(found) = f(node) {
                return Some(found);
            }
            links = next;
        }
    }

    /// Calls `f` with each object, current and retired, in an RCU read section. `f` must not sleep: without
    /// `CONFIG_PREEMPT_RCU` the section ends with that, and the object may be freed under the reference. No type
    /// excludes it.
    ///
    /// An object that is concurrently made current again may be visited twice. That move is safe on
    /// an RCU list, since readers only continue from an earlier position. An object that is retired
    /// again moves to the end, and a reader at it may miss the objects after its old position.
    pub fn for_each(&self, f: impl Fn(&T)) {
        self.find_node(|node| -> Option<()> {
            f(&node.data);
            None
        });
    }

    /// The current object. Any context but NMI. If no object of the list was ever made current,
    /// this may briefly return a retired one.
    pub fn current(&self) -> Option<Ref<T>> {
        // INVARIANT: `tryget` has taken the reference that `Ref` owns.
        self.find_node(|node| {
            Some(node.refs.tryget().then(|| Ref {
                node: NonNull::from(node),
            }))
        })?
    }

    /// Removes a retired object that `f` accepts from the list, to be used again. `f` runs with the
    /// list locked: it must not sleep, nor call this, nor drop a last [`Ref`]; both take the lock again. No type
    /// excludes that. It deadlocks; without `CONFIG_SMP`, where a spin lock excludes nothing in its own section,
    /// an object could be taken off the list twice.
    pub fn take_retired(&'static self, f: impl Fn(&T) -> bool) -> Option<Detached<T>> {
        let _lock = self.lock.lock();
        let node = self.find_node(|node| {
            (node.is_killed() && f(&node.data) && node.refs.tryget()).then_some(NonNull::from(node))
        })?;
        // SAFETY: It is on the list, which is locked by us; the reference keeps it alive.
        unsafe { bindings::list_del_rcu(node.as_ref().links.get()) };
        // INVARIANT: The node is off the list, killed, and has the reference that `tryget` has
        // taken.
        Some(Detached { node })
    }
}

/// An object off its list; only the holder may put it there.
///
/// Dropping it retires the object: it goes to the end of the list, and leaves the list once its
/// references, if any, are gone. Dropping may sleep.
///
/// # Invariants
///
/// The node is off its list, and only the owner of this will put it there. It has its initial
/// reference, or is killed and has another one; either is ours.
#[must_use = "an object that is dropped is retired"]
pub struct Detached<T: Send + Sync + 'static> {
    node: NonNull<Node<T>>,
}

// SAFETY: It is a reference to a `Node`, which is `Send` and `Sync`.
unsafe impl<T: Send + Sync> Send for Detached<T> {}
// SAFETY: It is a reference to a `Node`, which is `Send` and `Sync`.
unsafe impl<T: Send + Sync> Sync for Detached<T> {}

impl<T: Send + Sync> Detached<T> {
    /// Makes the object the current one of its list, and retires the previous one. May sleep.
    pub fn make_current(self) {
        let ptr = ManuallyDrop::new(self).node;
        // SAFETY: By the type invariant we have a reference.
        let node = unsafe { ptr.as_ref() };

        if node.is_killed() {
            // SAFETY: Killed, and not zero, since we have a reference. This restores the node's
            // initial reference, so we can put ours.
            unsafe {
                node.refs.resurrect();
                Node::put(ptr);
            }
        }

        let old = {
            let _lock = node.list.lock.lock();
            let old = node.list.find_node(|old| {
                Some((!old.is_killed()).then(|| {
                    // SAFETY: `old` is live, and stays live while it is first: its initial reference
                    // is given up only after another node was put before it, under the lock that
                    // we hold.
                    unsafe { old.refs.get() };
                    // INVARIANT: Just taken.
                    Ref {
                        node: NonNull::from(old),
                    }
                }))
            });
            // SAFETY: `node` is off the list, which is locked by us. Its initial reference belongs
            // to the list from here on.
            unsafe { bindings::list_add_rcu(node.links.get(), node.list.head.get()) };
            old.flatten()
        };
        // Not under the lock, which `released` takes. No other task kills `old`: it was first until
        // now, and of a list's nodes only the one that was first is killed, here.
        if let Some(old) = old {
            // SAFETY: Live, as checked under the lock, and killed only once, as explained above.
            unsafe { old.node().refs.kill() };
        }
    }
}

impl<T: Send + Sync> Deref for Detached<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: By the type invariant we have a reference.
        unsafe { &self.node.as_ref().data }
    }
}

impl<T: Send + Sync> Drop for Detached<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant we have a reference, and keep one until `put`.
        let node = unsafe { self.node.as_ref() };
        if !node.is_killed() {
            // SAFETY: We have a reference. The node is live, and other tasks kill only a node that
            // was first on the list.
            unsafe {
                node.refs.get();
                node.refs.kill();
            }
        }
        {
            let _lock = node.list.lock.lock();
            // SAFETY: `node` is off the list, which is locked by us.
            unsafe { bindings::list_add_tail_rcu(node.links.get(), node.list.head.get()) };
        }
        // SAFETY: Puts the reference of the invariant, or the one that replaced it. The node is on
        // the list now, as `released` expects.
        unsafe { Node::put(self.node) };
    }
}

/// A counted reference to an object of a [`Generations`], current or retired.
///
/// May be cloned and dropped in any context but NMI: a worker destroys the object.
///
/// # Invariants
///
/// Owns a reference to the node.
pub struct Ref<T: Send + Sync + 'static> {
    node: NonNull<Node<T>>,
}

// SAFETY: It is a reference to a `Node`, which is `Send` and `Sync`.
unsafe impl<T: Send + Sync> Send for Ref<T> {}
// SAFETY: It is a reference to a `Node`, which is `Send` and `Sync`.
unsafe impl<T: Send + Sync> Sync for Ref<T> {}

impl<T: Send + Sync> Ref<T> {
    #[inline]
    fn node(&self) -> &Node<T> {
        // SAFETY: By the type invariant we have a reference.
        unsafe { self.node.as_ref() }
    }
}

impl<T: Generation> Ref<T> {
    /// Makes the reference as small as it can be: the object's number, with the reference, for
    /// [`Ref::from_number`].
    #[inline]
    pub(crate) fn into_number(self) -> u8 {
        ManuallyDrop::new(self).node().number.n
    }

    /// # Safety
    ///
    /// `n` must be from [`Ref::into_number`], and its reference is handed over.
    #[inline]
    pub(crate) unsafe fn from_number(n: u8) -> Self {
        // INVARIANT: The caller hands over the reference.
        Self {
            // SAFETY: The caller guarantees that `n` has a reference to a node. The node keeps its number
            // until it is dropped, and its pointer was stored before the first reference existed.
            node: unsafe { NonNull::new_unchecked(T::numbers().node(n)) },
        }
    }

    /// The object of a number.
    ///
    /// # Safety
    ///
    /// `n` must be from [`Ref::into_number`], and its reference not handed over during `'a`.
    #[inline]
    pub(crate) unsafe fn borrow_number<'a>(n: u8) -> &'a T {
        // SAFETY: As in `from_number`; the reference keeps the node during `'a`.
        unsafe { &(*T::numbers().node(n)).data }
    }
}

impl<T: Send + Sync> Clone for Ref<T> {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: By the type invariant we have a reference.
        unsafe { self.node().refs.get() };
        // INVARIANT: The reference was just taken.
        Self { node: self.node }
    }
}

impl<T: Send + Sync> Deref for Ref<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.node().data
    }
}

impl<T: Send + Sync> Drop for Ref<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is ours.
        unsafe { Node::put(self.node) }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_generations)]
mod tests {
    use super::*;
    use crate::time::{
        delay::fsleep,
        Delta, //
    };

    static DROPPED: Atomic<u32> = Atomic::new(0);

    struct Config(u32);

    crate::impl_generation! { impl Generation for Config }

    impl Drop for Config {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Relaxed);
        }
    }

    fn list() -> Result<&'static Generations<Config>> {
        let list = KBox::pin_init(crate::builtin_generations!(), GFP_KERNEL)?;
        // SAFETY: It is leaked, and so never moves.
        Ok(KBox::leak(unsafe { Pin::into_inner_unchecked(list) }))
    }

    fn generation(n: u32) -> impl PinInit<Config, Error> {
        // SAFETY: Writes the whole value, and cannot fail.
        unsafe {
            pin_init::pin_init_from_closure(move |slot: *mut Config| {
                slot.write(Config(n));
                Ok(())
            })
        }
    }

    fn seen(list: &Generations<Config>) -> u32 {
        let seen = Atomic::new(0);
        list.for_each(|generation| {
            seen.fetch_add(generation.0, Relaxed);
        });
        seen.load(Relaxed)
    }

    /// Waits until workers have dropped `n`, with a timeout.
    fn dropped(n: u32) -> bool {
        for _ in 0..500 {
            if DROPPED.load(Relaxed) == n {
                return true;
            }
            fsleep(Delta::from_millis(10));
        }
        false
    }

    #[test]
    fn there_are_no_more_objects_than_numbers() -> Result {
        struct Numbered;

        crate::impl_generation! { impl Generation for Numbered }

        let list = KBox::pin_init(crate::builtin_generations!(), GFP_KERNEL)?;
        // SAFETY: It is leaked, and so never moves.
        let list = unsafe { Pin::into_inner_unchecked(list) };
        let list: &'static Generations<Numbered> = KBox::leak(list);
        let create = || list.create(pin_init::init!(Numbered {}? Error));
        let mut all = KVec::new();
        let mut taken = [false; MAX_OBJECTS];
        for _ in 0..MAX_OBJECTS {
            let object = create()?;
            // SAFETY: By the invariant of `Detached`.
            let n = unsafe { object.node.as_ref() }.number.n;
            assert!(!core::mem::replace(&mut taken[usize::from(n)], true));
            all.push(object, GFP_KERNEL)?;
        }
        assert_eq!(create().err(), Some(ENOSPC));

        // A number is free again when its object is gone.
        drop(all.pop());
        for _ in 0..500 {
            match create() {
                Ok(object) => {
                    all.push(object, GFP_KERNEL)?;
                    break;
                }
                Err(error) => assert_eq!(error, ENOSPC),
            }
            fsleep(Delta::from_millis(10));
        }
        assert_eq!(all.len(), MAX_OBJECTS);
        Ok(())
    }

    #[test]
    fn a_number_is_a_reference() -> Result {
        struct Small {
            n: u32,
        }

        crate::impl_generation! { impl Generation for Small }

        let list = KBox::pin_init(crate::builtin_generations!(), GFP_KERNEL)?;
        // SAFETY: It is leaked, and so never moves.
        let list = unsafe { Pin::into_inner_unchecked(list) };
        let list: &'static Generations<Small> = KBox::leak(list);
        for n in 1..=3 {
            list.create(pin_init::init!(Small { n }? Error))?
                .make_current();
        }
        let n = list.current().ok_or(EINVAL)?.into_number();
        // SAFETY: From `into_number`, and handed over below.
        assert_eq!(unsafe { Ref::<Small>::borrow_number(n) }.n, 3);
        // SAFETY: From `into_number`, and handed over once.
        let current = unsafe { Ref::<Small>::from_number(n) };
        assert_eq!(current.n, 3);
        Ok(())
    }

    // A single test, since it counts all drops.
    #[test]
    fn generations_come_and_go() -> Result {
        let list = list()?;
        assert!(list.current().is_none());
        assert_eq!(seen(list), 0);

        let start = DROPPED.load(Relaxed);
        list.create(generation(1))?.make_current();
        let one = list.current().ok_or(EINVAL)?;
        assert_eq!(one.0, 1);

        // The reference keeps the retired one on the list, where readers see it.
        list.create(generation(10))?.make_current();
        assert_eq!(list.current().ok_or(EINVAL)?.0, 10);
        assert_eq!(seen(list), 11);
        // The current one can't be taken.
        assert!(list.take_retired(|generation| generation.0 == 10).is_none());

        // Back to the first: the second has no references and is freed.
        let retired = list
            .take_retired(|generation| generation.0 == 1)
            .ok_or(EINVAL)?;
        assert_eq!(seen(list), 10);
        retired.make_current();
        drop(one);
        assert!(dropped(start + 1));
        assert_eq!(list.current().ok_or(EINVAL)?.0, 1);
        assert_eq!(seen(list), 1);

        // One that was never made current is freed, too.
        drop(list.create(generation(100))?);
        assert!(dropped(start + 2));
        assert_eq!(list.current().ok_or(EINVAL)?.0, 1);

        // Clones own references.
        let a = list.current().ok_or(EINVAL)?;
        let b = a.clone();
        list.create(generation(1000))?.make_current();
        drop(a);
        assert_eq!(seen(list), 1001);
        drop(b);
        assert!(dropped(start + 3));
        assert_eq!(seen(list), 1000);
        Ok(())
    }
}
