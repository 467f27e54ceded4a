// SPDX-License-Identifier: GPL-2.0-or-later

//! The list of pools, whose references are counted by `percpu_ref`; readers find pools under RCU.
//!
//! The first pool of the list is current: stores go there. The others are retired, and stay on the list until their
//! last reference is put, so that they are counted, and can be made current again. The reference count scales to
//! millions of references, and can reach zero in any context; a worker destroys the pool.
//!
//! Each pool has an id below [`MAX_POOLS`], so that a reference fits into a byte of an entry:
//! [`PoolRef::into_id`].
//!
//! | state     | on the list | initial reference | owner                  |
//! |-----------|-------------|-------------------|------------------------|
//! | `NewPool` | no          | yes, or killed    | the holder alone       |
//! | current   | first       | yes               | the list               |
//! | retired   | yes         | killed            | all references         |
//! | dying     | no          | killed            | the worker             |
//!
//! Mirrors `zswap_pools`, `zswap_pools_lock`, and the functions of mm/zswap.c that use it.
//!
//! C headers: [`include/linux/percpu-refcount.h`](srctree/include/linux/percpu-refcount.h),
//! [`include/linux/rculist.h`](srctree/include/linux/rculist.h)

use super::pool::Pool;
use core::{
    mem::ManuallyDrop,
    ops::Deref,
    ptr::NonNull, //
};
use kernel::{
    bindings, container_of,
    crypto::acompress::Algorithm,
    impl_has_work,
    prelude::*,
    static_lock_class,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Full,
            Relaxed,
            Release as ReleaseOrder, //
        },
        percpu_ref::{
            PercpuRef,
            Release, //
        },
        rcu,
        SpinLockIrq, //
    },
    types::Opaque,
    workqueue::{
        self,
        Work,
        WorkItem, //
    },
};

// C calls this code when the last reference is put, or a grace period later: it must never be unloaded.
#[cfg(MODULE)]
core::compile_error!("zswap must be built in");

/// Maximum number of pools, on all lists.
pub(crate) const MAX_POOLS: usize = 1 << u8::BITS;

/// How long to wait if all ids are taken: an unused pool is freed two grace periods later, and its id with it.
const GRACE_PERIODS: u32 = 4;

/// The ids of all pools.
static POOL_IDS: PoolIds = PoolIds::new();

/// Ids, each of one pool.
///
/// # Invariants
///
/// The pointer of a free id is null. That of a taken one isn't, and points to its node once that exists.
// Aligned, so that the first ones, which are read for each reference, share no cache line with others' data.
#[repr(align(64))]
struct PoolIds {
    nodes: [Atomic<*mut Node>; MAX_POOLS],
}

impl PoolIds {
    const fn new() -> Self {
        Self {
            nodes: [const { Atomic::new(core::ptr::null_mut()) }; MAX_POOLS],
        }
    }

    /// Takes the lowest free id. May sleep. Fails with `ENOSPC`.
    fn take(&'static self) -> Result<PoolId> {
        let taken = core::ptr::without_provenance_mut(1);
        for waited in 0..=GRACE_PERIODS {
            if waited > 0 {
                rcu::synchronize_rcu();
            }
            for (id, node) in (0..=u8::MAX).zip(&self.nodes) {
                // Full: after all accesses of the id's last owner.
                // INVARIANT: No node has the id yet.
                if node.cmpxchg(core::ptr::null_mut(), taken, Full).is_ok() {
                    return Ok(PoolId { id, node });
                }
            }
        }
        Err(ENOSPC)
    }

    #[inline]
    fn node(&self, id: u8) -> *mut Node {
        self.nodes[usize::from(id)].load(Relaxed)
    }
}

/// An id that is taken: free again when dropped.
struct PoolId {
    id: u8,
    node: &'static Atomic<*mut Node>,
}

impl Drop for PoolId {
    fn drop(&mut self) {
        // Release: after all accesses of ours, for its next owner.
        self.node.store(core::ptr::null_mut(), ReleaseOrder);
    }
}

/// The list of pools. See [the module](self).
///
/// Lock order: its lock nests inside any other, and no lock is taken under it.
///
/// # Invariants
///
/// - `head` is the head of an RCU list of the `links` of [`Node`]s, changed only under `lock`.
/// - A node is on the list or has a reference (or both). A node whose references are gone is removed from the list,
///   and freed after an RCU grace period.
/// - All nodes but the first are killed, or about to be killed by the task that has put another one before them.
#[pin_data]
pub(crate) struct PoolList {
    #[pin]
    lock: SpinLockIrq<()>,
    #[pin]
    head: Opaque<bindings::list_head>,
}

// SAFETY: The list is changed only under its lock, and owns `Pool`s, which are `Send`.
unsafe impl Send for PoolList {}
// SAFETY: The list is changed only under its lock, read under RCU, and gives access to `&Pool`, which is `Sync`.
unsafe impl Sync for PoolList {}

/// A pool with its links and its reference count: the rest of `struct zswap_pool`.
///
/// # Invariants
///
/// `links` is initialised.
#[pin_data]
struct Node {
    pool: Pool,
    #[pin]
    refs: PercpuRef,
    #[pin]
    links: Opaque<bindings::list_head>,
    #[pin]
    work: Work<Node>,
    list: &'static PoolList,
    // Last: free when all else has been dropped.
    id: PoolId,
}

// SAFETY: Its C fields are bound to no thread; `Pool` and `&PoolList` are `Send`.
unsafe impl Send for Node {}
// SAFETY: Its C fields have their own locking; `Pool` is `Sync`.
unsafe impl Sync for Node {}

impl_has_work! {
    impl HasWork<Node> for Node { self.work }
}

impl WorkItem for Node {
    type Pointer = Pin<KBox<Self>>;

    /// Frees a node that has no references and is off the list. Mirrors `__zswap_pool_release()`.
    fn run(node: Pin<KBox<Self>>) {
        // A reader may have found the node before it was removed from the list.
        rcu::synchronize_rcu();
        // No reader can have taken a reference.
        kernel::warn_on_once!(!node.refs.is_zero());
        drop(node);
    }
}

impl Release for Node {
    /// The last reference is gone: unlinks the node and leaves the rest to a worker. Mirrors `__zswap_pool_empty()`.
    ///
    /// Runs in the context of the last `percpu_ref_put()`: possibly under spin locks with
    /// interrupts off, or in RCU's softirq.
    unsafe fn released(refs: NonNull<PercpuRef>) {
        // SAFETY: The caller guarantees that `refs` was made for this type. `create` makes it, as that
        // field of a node, which it leaks from a `Pin<KBox<Node>>`.
        let node = unsafe { container_of!(refs.as_ptr(), Self, refs) };
        {
            // SAFETY: The work queued below frees the node, so it isn't freed before.
            let node = unsafe { &*node };
            let _lock = node.list.lock.lock();
            // The current pool has its initial reference.
            kernel::warn_on_once!(!node.is_killed());
            // SAFETY: By the invariant of `PoolList` a node without references is on the list, which is locked by us.
            unsafe { bindings::list_del_rcu(node.links.get()) };
        }
        // SAFETY: The node came out of such a box. With no reference left and off the list, it is ours alone. Readers
        // that still see it have only a `&`, until the worker's grace period is over; the box isn't used mutably before.
        let node = unsafe { Pin::new_unchecked(KBox::from_raw(node)) };
        workqueue::system_percpu().enqueue(node);
    }
}

impl Node {
    /// Whether the initial reference was given up. For the holder of the `NewPool` the answer is
    /// stable. Others may get a stale one: a node that is being killed is either not taken yet, or is
    /// resurrected after the kill has completed, since C takes a lock for both.
    fn is_killed(&self) -> bool {
        self.refs.is_dying()
    }

    /// A reference, if there still is one.
    fn tryget(&self) -> Option<PoolRef> {
        // INVARIANT: Just taken.
        self.refs.tryget().then(|| PoolRef {
            node: NonNull::from(self),
        })
    }
}

impl PoolList {
    /// Creates an empty list.
    pub(crate) fn new() -> impl PinInit<Self> {
        // INVARIANT: The list is empty.
        pin_init!(Self {
            lock <- SpinLockIrq::new((), c"zswap_pools_lock", static_lock_class!()),
            // SAFETY: `slot` is valid for writes and pinned.
            head <- Opaque::ffi_init(|slot| unsafe { bindings::INIT_LIST_HEAD(slot) }),
        })
    }

    /// Prepares `pool` for this list; it isn't on the list yet. May sleep.
    ///
    /// Fails with `ENOSPC` if there are [`MAX_POOLS`], after it has waited for those that are being freed.
    ///
    /// Mirrors the second half of `zswap_pool_create()`.
    pub(crate) fn create(&'static self, pool: Pool) -> Result<NewPool> {
        let id = POOL_IDS.take()?;
        let node = KBox::pin_init(
            try_pin_init!(Node {
                pool,
                // SAFETY: It is part of a node that `KBox::leak` below leaks, until `released`
                // makes it a box again. This code is built in, as checked above.
                refs <- unsafe { PercpuRef::new::<Node>() },
                // SAFETY: `links` is valid for writes and pinned.
                links <- Opaque::ffi_init(|links| unsafe { bindings::INIT_LIST_HEAD(links) }),
                work <- Work::new(c"zswap_pool_release", static_lock_class!()),
                list: self,
                id,
            }? Error),
            GFP_KERNEL,
        )?;
        // SAFETY: The node doesn't move until `released` makes it a box again.
        let node = NonNull::from(KBox::leak(unsafe { Pin::into_inner_unchecked(node) }));
        // SAFETY: Just made, with its initial reference.
        unsafe { node.as_ref().refs.get() };
        // INVARIANT: Just taken.
        let pool = PoolRef { node };
        // INVARIANT: The node has that id.
        pool.node().id.node.store(node.as_ptr(), Relaxed);
        // INVARIANT: The node is new, off the list, and live.
        Ok(NewPool {
            pool,
            on_list: false,
        })
    }

    /// Calls `f` under RCU, so that it must not sleep, with each pool until it returns `Some`. A pool that is
    /// concurrently made current again may be visited twice, as readers only continue from an earlier position. A
    /// pool that is retired again moves to the end, and a reader at it may miss those after its old position.
    fn find_node<R>(&self, mut f: impl FnMut(&Node) -> Option<R>) -> Option<R> {
        let _rcu = rcu::read_lock();
        let head = self.head.get();
        let mut links = head;
        loop {
            // SAFETY: `links` is the head, or the links of a node that was on the list during this RCU read section and
            // isn't freed before its end. Writers use the RCU list functions; acquire is stronger than their readers'.
            let next = unsafe { Atomic::from_ptr(&raw mut (*links).next) }.load(Acquire);
            if next == head {
                return None;
            }
            // SAFETY: By the invariant `next` is the `links` of a node; it isn't freed, as above.
            let node = unsafe { &*container_of!(Opaque::cast_from(next).cast_mut(), Node, links) };
            if let Some(found) = f(node) {
                return Some(found);
            }
            links = next;
        }
    }

    /// The memory of all pools, current and retired, in pages. Any context but NMI.
    ///
    /// Mirrors `zswap_total_pages()`. Not inlined, to keep its locals out of the stack frames of its callers.
    #[inline(never)]
    pub(crate) fn total_pages(&self) -> usize {
        let mut total = 0usize;
        self.find_node(|node| -> Option<()> {
            total = total.wrapping_add(node.pool.zs().total_pages());
            None
        });
        total
    }

    /// The current pool. Any context but NMI. If no pool of the list was ever made current, this may briefly
    /// return a retired one.
    ///
    /// Mirrors `zswap_pool_current_get()`, with `__zswap_pool_current()` and `zswap_pool_tryget()`.
    pub(crate) fn current(&self) -> Option<PoolRef> {
        self.find_node(|node| Some(node.tryget()))?
    }

    /// Takes a retired pool with this algorithm off the list, to be used again.
    ///
    /// Mirrors `zswap_pool_find_get()`.
    pub(crate) fn take_retired(&'static self, algorithm: &Algorithm) -> Option<NewPool> {
        let _lock = self.lock.lock();
        let pool = self.find_node(|node| {
            let found =
                node.is_killed() && node.pool.algorithm().as_bytes() == algorithm.as_bytes();
            found.then(|| node.tryget()).flatten()
        })?;
        // SAFETY: It is on the list, which is locked by us; the reference keeps it alive.
        unsafe { bindings::list_del_rcu(pool.node().links.get()) };
        // INVARIANT: The node is off the list, and killed.
        Some(NewPool {
            pool,
            on_list: false,
        })
    }
}

/// A pool off its list; only the holder may put it there.
///
/// Dropping it retires the pool: it moves to the end of the list, and leaves the list once its
/// references, if any, are put. Dropping may sleep.
///
/// # Invariants
///
/// Unless `on_list`, the node is off its list, and only the owner of this will put it there. It has its initial
/// reference, which will be the list's, or is killed.
#[must_use = "a pool that is dropped is retired"]
pub(crate) struct NewPool {
    pool: PoolRef,
    on_list: bool,
}

impl NewPool {
    /// Makes the pool the current one of its list, and retires the previous one, which C finds by
    /// `zswap_pool_current()`. May sleep.
    pub(crate) fn make_current(mut self) {
        let node = self.pool.node();
        if node.is_killed() {
            // SAFETY: Killed, and not zero, since we have a reference.
            unsafe { node.refs.resurrect() };
        }

        let old = {
            let _lock = node.list.lock.lock();
            // If it is live, it stays live while it is first, and so has a reference to be taken: its initial reference
            // is given up only after another node was put before it, under the lock that we hold.
            let old = node
                .list
                .find_node(|old| Some(if old.is_killed() { None } else { old.tryget() }));
            // SAFETY: `node` is off the list, which is locked by us. Its initial reference is the list's from here on.
            unsafe { bindings::list_add_rcu(node.links.get(), node.list.head.get()) };
            old.flatten()
        };
        // INVARIANT: Just put there, with its initial reference.
        self.on_list = true;
        // Not under the lock, which `released` takes. No other task kills `old`: it was first until
        // now, and of a list's nodes only the one that was first is killed, here.
        if let Some(old) = old {
            // SAFETY: Live, as checked under the lock, and killed only once, as explained above.
            unsafe { old.node().refs.kill() };
        }
    }
}

impl Deref for NewPool {
    type Target = Pool;

    fn deref(&self) -> &Pool {
        &self.pool
    }
}

impl Drop for NewPool {
    fn drop(&mut self) {
        if self.on_list {
            return;
        }
        let node = self.pool.node();
        if !node.is_killed() {
            // SAFETY: The node is live, and other tasks kill only a node that was first on the list.
            unsafe { node.refs.kill() };
        }
        let _lock = node.list.lock.lock();
        // SAFETY: `node` is off the list, which is locked by us. Our reference is put after this: the node is on the
        // list then, as `released` expects.
        unsafe { bindings::list_add_tail_rcu(node.links.get(), node.list.head.get()) };
    }
}

/// A counted reference to a pool, current or retired.
///
/// May be cloned and dropped in any context but NMI: a worker destroys the pool.
///
/// # Invariants
///
/// Owns a reference to the node.
pub(crate) struct PoolRef {
    node: NonNull<Node>,
}

// SAFETY: It is a reference to a `Node`, which is `Send` and `Sync`.
unsafe impl Send for PoolRef {}
// SAFETY: It is a reference to a `Node`, which is `Send` and `Sync`.
unsafe impl Sync for PoolRef {}

impl PoolRef {
    #[inline]
    fn node(&self) -> &Node {
        // SAFETY: By the type invariant we have a reference.
        unsafe { self.node.as_ref() }
    }

    /// The pool's id, which owns the reference from now on, for [`PoolRef::from_id`].
    #[inline]
    pub(super) fn into_id(self) -> u8 {
        ManuallyDrop::new(self).node().id.id
    }

    /// The reference that an id owns.
    ///
    /// # Safety
    ///
    /// `id` must be from [`PoolRef::into_id`], and gives up its reference.
    #[inline]
    pub(super) unsafe fn from_id(id: u8) -> Self {
        // INVARIANT: The caller guarantees that the id gives up its reference to us.
        Self {
            // SAFETY: The caller guarantees that `id` has a reference to a node. The node has its id until it
            // is dropped, and its pointer was stored before the first reference existed.
            node: unsafe { NonNull::new_unchecked(POOL_IDS.node(id)) },
        }
    }

    /// The pool of an id.
    ///
    /// # Safety
    ///
    /// `id` must be from [`PoolRef::into_id`], and own its reference during `'a`.
    #[inline]
    pub(super) unsafe fn borrow_id<'a>(id: u8) -> &'a Pool {
        // SAFETY: As in `from_id`, the pointer is that of a node; the caller guarantees that the reference
        // pins the node during `'a`.
        unsafe { &(*POOL_IDS.node(id)).pool }
    }
}

/// Mirrors `zswap_pool_get()`.
impl Clone for PoolRef {
    #[inline]
    fn clone(&self) -> Self {
        // SAFETY: By the type invariant we have a reference.
        unsafe { self.node().refs.get() };
        // INVARIANT: The reference was just taken.
        Self { node: self.node }
    }
}

impl Deref for PoolRef {
    type Target = Pool;

    #[inline]
    fn deref(&self) -> &Pool {
        &self.node().pool
    }
}

/// Mirrors `zswap_pool_put()`.
impl Drop for PoolRef {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the reference is ours, and keeps the node until it is put.
        unsafe { PercpuRef::put(NonNull::new_unchecked(&raw mut (*self.node.as_ptr()).refs)) }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kunit_tests(zswap_pool_list)]
pub(super) mod tests {
    use super::{
        super::contexts::Contexts,
        *, //
    };
    use kernel::{
        cpuhotplug,
        str::CString,
        sync::SetOnce,
        time::{
            delay::fsleep,
            Delta, //
        },
    };

    /// A list of pools that stores don't use.
    pub(in super::super) struct TestList {
        pub(in super::super) pools: &'static PoolList,
        state: &'static cpuhotplug::State<Contexts>,
    }

    impl TestList {
        pub(in super::super) fn new() -> Result<Self> {
            // One for all runs of all tests: there are few dynamic states.
            static STATE: SetOnce<cpuhotplug::State<Contexts>> = SetOnce::new();
            let pools = KBox::pin_init(PoolList::new(), GFP_KERNEL)?;
            if STATE.as_ref().is_none() {
                STATE.populate(kernel::builtin_cpu_state!(
                    cpuhotplug::StateSlot::PrepareDyn,
                    c"mm/zswap_pool:test"
                )?);
            }
            Ok(Self {
                // SAFETY: It is leaked, and so never moves.
                pools: KBox::leak(unsafe { Pin::into_inner_unchecked(pools) }),
                state: STATE.as_ref().ok_or(EINVAL)?,
            })
        }

        /// A pool of one of two algorithms.
        fn create(&self, algorithm: &Algorithm) -> Result<NewPool> {
            static COUNT: Atomic<u32> = Atomic::new(0);
            let n = COUNT.fetch_add(1, Relaxed);
            let name = CString::try_from_fmt(fmt!("zswap_test{n}"))?;
            self.pools
                .create(Pool::named(&name, self.state, algorithm.clone())?)
        }

        /// Makes a pool current, and returns a reference to it.
        pub(in super::super) fn add(&self, algorithm: &Algorithm) -> Result<PoolRef> {
            self.create(algorithm)?.make_current();
            self.pools.current().ok_or(EINVAL)
        }

        /// The ids of the pools that readers see, the current one first.
        fn seen(&self) -> impl Iterator<Item = u8> {
            let (mut seen, mut nr) = ([None; 4], 0);
            self.pools.find_node(|node| -> Option<()> {
                if let Some(seen) = seen.get_mut(nr) {
                    *seen = Some(node.id.id);
                }
                nr += 1;
                None
            });
            seen.into_iter().flatten()
        }
    }

    impl Drop for TestList {
        /// Retires the current pool, so that all are freed.
        fn drop(&mut self) {
            if let Some(current) = self.pools.current() {
                // SAFETY: The current pool is live, and no other task has this list.
                unsafe { current.node().refs.kill() }
            }
        }
    }

    /// Algorithms for tests: of the compressors that zswap's options select, any two.
    pub(in super::super) fn algorithms() -> Result<[Algorithm; 2]> {
        let names: [&[u8]; 5] = [b"lzo", b"lzo-rle", b"lz4", b"zstd", b"deflate"];
        let mut available = names
            .into_iter()
            .filter_map(Algorithm::new)
            .filter(Algorithm::is_available);
        let mut next = || available.next().ok_or(ENOENT);
        Ok([next()?, next()?])
    }

    /// Waits until a worker has freed the pool with this id, with a timeout.
    fn freed(id: u8) -> bool {
        (0..500).any(|_| {
            fsleep(Delta::from_millis(10));
            POOL_IDS.node(id).is_null()
        })
    }

    fn id(pool: &PoolRef) -> u8 {
        pool.node().id.id
    }

    #[test]
    fn there_are_no_more_pools_than_ids() -> Result {
        static IDS: PoolIds = PoolIds::new();

        let mut all = KVec::new();
        let mut taken = [false; MAX_POOLS];
        for _ in 0..MAX_POOLS {
            let id = IDS.take()?;
            assert!(!core::mem::replace(&mut taken[usize::from(id.id)], true));
            all.push(id, GFP_KERNEL)?;
        }
        assert_eq!(IDS.take().err(), Some(ENOSPC));

        // An id is free again when it is dropped.
        let last = all.pop().ok_or(EINVAL)?;
        let n = last.id;
        drop(last);
        assert_eq!(IDS.take()?.id, n);
        Ok(())
    }

    #[test]
    fn an_id_is_a_reference() -> Result {
        let list = TestList::new()?;
        let [a, b] = algorithms()?;
        let mut ids = KVec::new();
        for algorithm in [&a, &b, &a] {
            let pool = list.add(algorithm)?;
            let n = id(&pool);
            // It is a new one, since the others have references.
            assert!(!ids.contains(&n));
            assert_eq!(pool.into_id(), n);
            ids.push(n, GFP_KERNEL)?;
        }
        for (n, algorithm) in ids.iter().zip([&a, &b, &a]) {
            // SAFETY: From `into_id`, and given up below.
            let pool = unsafe { PoolRef::borrow_id(*n) };
            assert_eq!(pool.algorithm().as_bytes(), algorithm.as_bytes());
        }
        for n in &ids {
            // SAFETY: From `into_id`, and given up once.
            let pool = unsafe { PoolRef::from_id(*n) };
            assert_eq!(id(&pool), *n);
        }
        // The last one is current.
        assert!(freed(ids[0]) && freed(ids[1]));
        assert!(list.seen().eq([ids[2]]));
        Ok(())
    }

    #[test]
    fn pools_are_retired_and_taken_again() -> Result {
        let list = TestList::new()?;
        let [a, b] = algorithms()?;
        assert!(list.pools.current().is_none());
        assert_eq!(list.seen().count(), 0);

        let first = list.add(&a)?;
        assert_eq!(first.algorithm().as_bytes(), a.as_bytes());

        // The reference pins the retired one on the list, where readers see it.
        let second = list.add(&b)?;
        assert_eq!(second.algorithm().as_bytes(), b.as_bytes());
        assert!(list.seen().eq([id(&second), id(&first)]));
        // The current one can't be taken.
        assert!(list.pools.take_retired(&b).is_none());

        // Back to the first: the second has no other references and is freed.
        let retired = list.pools.take_retired(&a).ok_or(EINVAL)?;
        assert!(list.seen().eq([id(&second)]));
        retired.make_current();
        let n = id(&second);
        drop(second);
        assert!(freed(n));
        assert!(list.seen().eq([id(&first)]));
        assert_eq!(id(&list.pools.current().ok_or(EINVAL)?), id(&first));

        // One that was never made current is freed, too.
        let unused = list.create(&b)?;
        let n = id(&unused.pool);
        drop(unused);
        assert!(freed(n));
        assert!(list.seen().eq([id(&first)]));

        // Clones own references.
        let clone = first.clone();
        let last = list.add(&b)?;
        let n = id(&first);
        drop(first);
        assert!(list.seen().eq([id(&last), n]));
        drop(clone);
        assert!(freed(n));
        assert!(list.seen().eq([id(&last)]));
        Ok(())
    }
}
