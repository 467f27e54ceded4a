// SPDX-License-Identifier: GPL-2.0-or-later

//! The list of pools. References to a pool are counted by a `percpu_ref`; readers find pools under RCU.
//!
//! The first pool of the list is current: stores use it. The others are retired. A retired pool stays on the list until
//! its last reference is put, so that its memory is accounted and it can be made current again. Each entry in a pool
//! has a reference to it. The count can reach zero in any context; a worker destroys the pool.
//!
//! Each pool has an id below [`MAX_POOLS`], so that a reference fits into one byte of an entry: [`PoolRef::into_id`].
//!
//! | state     | on the list | initial reference | owner                  |
//! |-----------|-------------|-------------------|------------------------|
//! | `NewPool` | no          | yes, or killed    | the `NewPool`          |
//! | current   | first       | yes               | the list               |
//! | retired   | yes         | killed            | all references         |
//! | dying     | no          | killed            | the worker             |
//!
//! Mirrors `zswap_pools`, `zswap_pools_lock`, and the functions of mm/zswap.c that use them.
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

// C calls this code when the last reference is put, or a grace period later, so it must never be unloaded.
#[cfg(MODULE)]
core::compile_error!("zswap must be built in");

/// The maximum number of pools, on all lists.
pub(crate) const MAX_POOLS: usize = 1 << u8::BITS;

/// The number of grace periods to wait for if all ids are taken. An unused pool is freed after two, and then its id is
/// free.
const GRACE_PERIODS: u32 = 4;

/// The ids of all pools.
static POOL_IDS: PoolIds = PoolIds::new();

/// The ids of pools.
///
/// # Invariants
///
/// The pointer of a free id is null. The pointer of a taken id is not null, and points to the node once that exists.
// Aligned, so that the first pointers, which are read for each reference, share no cache line with other data.
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
                // Full: the accesses of the id's previous owner happen before.
                // INVARIANT: The id is taken, and no node has it yet.
                if node.cmpxchg(core::ptr::null_mut(), taken, Full).is_ok() {
                    return Ok(PoolId { id, node });
                }
            }
        }
        Err(ENOSPC)
    }

    fn node(&self, id: u8) -> *mut Node {
        self.nodes[usize::from(id)].load(Relaxed)
    }
}

/// A taken id. Dropping it frees the id.
struct PoolId {
    id: u8,
    node: &'static Atomic<*mut Node>,
}

impl Drop for PoolId {
    fn drop(&mut self) {
        // Release: this owner's accesses happen before those of the next owner.
        self.node.store(core::ptr::null_mut(), ReleaseOrder);
    }
}

/// The list of pools. See [the module](self).
///
/// Lock order: its lock is innermost; no lock is taken under it.
///
/// # Invariants
///
/// - `head` is the head of an RCU list of the `links` of [`Node`]s, changed only under `lock`.
/// - A node is on the list or has a reference (or both). After its last reference was put, a node is removed from the
///   list, and freed after an RCU grace period.
/// - All nodes except the first are killed, or about to be killed by the task that has added another node before them.
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

/// A pool with its links and its reference count, which C has in `struct zswap_pool`.
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
    // Dropped last: the id must not be reused before.
    id: PoolId,
}

// SAFETY: Its C fields are not bound to a thread; `Pool` and `&PoolList` are `Send`.
unsafe impl Send for Node {}
// SAFETY: Its C fields have their own locking; `Pool` is `Sync`.
unsafe impl Sync for Node {}

impl_has_work! {
    impl HasWork<Node> for Node { self.work }
}

impl WorkItem for Node {
    type Pointer = Pin<KBox<Self>>;

    /// Frees a node that has no references and is not on the list. Mirrors `__zswap_pool_release()`.
    fn run(node: Pin<KBox<Self>>) {
        // A reader may have found the node before it was removed from the list.
        rcu::synchronize_rcu();
        // No reader can have taken a reference to it.
        kernel::warn_on_once!(!node.refs.is_zero());
        drop(node);
    }
}

impl Release for Node {
    /// Called when the last reference was put: removes the node from the list, and queues the work that frees it.
    /// Mirrors `__zswap_pool_empty()`.
    ///
    /// Runs in the context of the last `percpu_ref_put()`: possibly under spin locks with interrupts disabled, or in
    /// RCU's softirq.
    unsafe fn released(refs: NonNull<PercpuRef>) {
        // SAFETY: The caller guarantees that `refs` was created for this type. Only `create` does that, for the `refs`
        // field of a node, which it leaks from a `Pin<KBox<Node>>`.
        let node = unsafe { container_of!(refs.as_ptr(), Self, refs) };
        {
            // SAFETY: The node is not freed before the work that is queued below.
            let node = unsafe { &*node };
            let _lock = node.list.lock.lock();
            // The current pool has its initial reference.
            kernel::warn_on_once!(!node.is_killed());
            // SAFETY: By the invariant of `PoolList` a node without references is on the list, whose lock is held.
            unsafe { bindings::list_del_rcu(node.links.get()) };
        }
        // SAFETY: `create` leaked the node from such a box. It has no reference and is not on the list, so no other
        // task frees it. Readers that have found it before have only a `&Node`, until the worker has waited for a grace
        // period; the box is not accessed mutably before.
        let node = unsafe { Pin::new_unchecked(KBox::from_raw(node)) };
        workqueue::system_percpu().enqueue(node);
    }
}

impl Node {
    /// Whether the initial reference was given up. The result is stable for the owner of the `NewPool`. For other tasks
    /// it may be stale. That is harmless: a node that is being killed is not taken yet, or it is resurrected after the
    /// kill has completed, since C takes a lock for both.
    fn is_killed(&self) -> bool {
        self.refs.is_dying()
    }

    /// Takes a reference, unless the last one was put.
    fn tryget(&self) -> Option<PoolRef> {
        // INVARIANT: If `tryget` returns true, it has taken the reference.
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

    /// Prepares `pool` for this list, without adding it. May sleep.
    ///
    /// If [`MAX_POOLS`] pools exist, waits for those that are being freed, and fails with `ENOSPC` if none was.
    ///
    /// Mirrors the second half of `zswap_pool_create()`.
    pub(crate) fn create(&'static self, pool: Pool) -> Result<NewPool> {
        let id = POOL_IDS.take()?;
        let node = KBox::pin_init(
            try_pin_init!(Node {
                pool,
                // SAFETY: `refs` is a field of a node that `KBox::leak` leaks below, until `released` creates a box
                // from it again. This code is built in, as checked above.
                refs <- unsafe { PercpuRef::new::<Node>() },
                // SAFETY: `links` is valid for writes and pinned.
                links <- Opaque::ffi_init(|links| unsafe { bindings::INIT_LIST_HEAD(links) }),
                work <- Work::new(c"zswap_pool_release", static_lock_class!()),
                list: self,
                id,
            }? Error),
            GFP_KERNEL,
        )?;
        // SAFETY: The node doesn't move until `released` creates a pinned box from it again.
        let node = NonNull::from(KBox::leak(unsafe { Pin::into_inner_unchecked(node) }));
        // SAFETY: The node was just created, and has its initial reference.
        unsafe { node.as_ref().refs.get() };
        // INVARIANT: The reference was just taken.
        let pool = PoolRef { node };
        // INVARIANT: The node has that id.
        pool.node().id.node.store(node.as_ptr(), Relaxed);
        // INVARIANT: The node is new: it is not on the list, and has its initial reference.
        Ok(NewPool {
            pool,
            on_list: false,
        })
    }

    /// Calls `f` with each node until it returns `Some`. `f` runs under RCU and must not sleep.
    ///
    /// A pool that is made current again moves to the head: a reader at it may visit other pools twice, and a reader
    /// before it may miss it. A pool that is retired again moves to the tail: a reader at it may miss the pools after
    /// its old position.
    fn find_node<R>(&self, mut f: impl FnMut(&Node) -> Option<R>) -> Option<R> {
        let _rcu = rcu::read_lock();
        let head = self.head.get();
        let mut links = head;
        loop {
            // SAFETY: `links` is the head, or the links of a node that was on the list during this RCU read section, so
            // it isn't freed before the section ends. Writers use the RCU list functions; acquire is stronger than the
            // address dependency of readers in C.
            let next = unsafe { Atomic::from_ptr(&raw mut (*links).next) }.load(Acquire);
            if next == head {
                return None;
            }
            // SAFETY: By the type invariant `next` is the `links` of a node, which isn't freed before this RCU read
            // section ends.
            let node = unsafe { &*container_of!(Opaque::cast_from(next).cast_mut(), Node, links) };
            if let Some(found) = f(node) {
                return Some(found);
            }
            links = next;
        }
    }

    /// The memory that all pools use, current and retired, in pages. Any context except NMI.
    ///
    /// Mirrors `zswap_total_pages()`.
    #[inline(never)] // stack: keeps its locals out of zswap_store()'s frame
    pub(crate) fn total_pages(&self) -> usize {
        let mut total = 0usize;
        self.find_node(|node| -> Option<()> {
            total = total.wrapping_add(node.pool.zs().total_pages());
            None
        });
        total
    }

    /// The current pool. Any context except NMI. If no pool of the list was ever made current, this may return a
    /// retired one for a short time.
    ///
    /// Mirrors `zswap_pool_current_get()`, with `__zswap_pool_current()` and `zswap_pool_tryget()`.
    pub(crate) fn current(&self) -> Option<PoolRef> {
        self.find_node(|node| Some(node.tryget()))?
    }

    /// Removes a retired pool with this algorithm from the list, to be used again.
    ///
    /// Mirrors `zswap_pool_find_get()`.
    pub(crate) fn take_retired(&'static self, algorithm: &Algorithm) -> Option<NewPool> {
        let _lock = self.lock.lock();
        let pool = self.find_node(|node| {
            let found =
                node.is_killed() && node.pool.algorithm().as_bytes() == algorithm.as_bytes();
            found.then(|| node.tryget()).flatten()
        })?;
        // SAFETY: The node is on the list, whose lock is held; the reference pins the node.
        unsafe { bindings::list_del_rcu(pool.node().links.get()) };
        // INVARIANT: The node was removed from the list, and is killed. No other task can find it.
        Some(NewPool {
            pool,
            on_list: false,
        })
    }
}

/// A pool that is not on its list. Only the owner of this value can add it.
///
/// Dropping it retires the pool: the pool is added to the tail of the list, and is removed when its last reference is
/// put. Dropping may sleep.
///
/// # Invariants
///
/// Unless `on_list`, the node is not on its list, and only the owner of this value adds it. The node is killed, or has
/// its initial reference, which the list will own.
#[must_use = "a pool that is dropped is retired"]
pub(crate) struct NewPool {
    pool: PoolRef,
    on_list: bool,
}

impl NewPool {
    /// Makes the pool the current one of its list, and retires the previous one, which C finds with
    /// `zswap_pool_current()`. May sleep.
    pub(crate) fn make_current(mut self) {
        let node = self.pool.node();
        if node.is_killed() {
            // SAFETY: The count is killed. It is not zero, since `self.pool` owns a reference.
            unsafe { node.refs.resurrect() };
        }

        let old = {
            let _lock = node.list.lock.lock();
            // A live first node stays live while it is first, so `tryget` succeeds: its initial reference is given up
            // only after another node was added before it, under the lock that is held here.
            let old = node
                .list
                .find_node(|old| Some(if old.is_killed() { None } else { old.tryget() }));
            // SAFETY: By the type invariant `node` is not on the list, whose lock is held. The list owns its initial
            // reference from here on.
            unsafe { bindings::list_add_rcu(node.links.get(), node.list.head.get()) };
            old.flatten()
        };
        // INVARIANT: The node was just added, with its initial reference.
        self.on_list = true;
        // Without the lock, which `released` takes. No other task kills `old`: on a list only the node that was first
        // until then is killed, and only here.
        if let Some(old) = old {
            // SAFETY: `old` is live, as checked under the lock, and no other task kills it.
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
            // SAFETY: The node is live. Other tasks kill only a node that was first on the list, and by the type
            // invariant this one is not on it.
            unsafe { node.refs.kill() };
        }
        let _lock = node.list.lock.lock();
        // SAFETY: By the type invariant `node` is not on the list, whose lock is held. `self.pool` is dropped after
        // this: when its reference is put, the node is on the list, as `released` requires.
        unsafe { bindings::list_add_tail_rcu(node.links.get(), node.list.head.get()) };
    }
}

/// A reference to a pool, current or retired.
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
    fn node(&self) -> &Node {
        // SAFETY: By the type invariant this value owns a reference.
        unsafe { self.node.as_ref() }
    }

    /// Converts to the pool's id, which owns the reference: see [`PoolRef::from_id`].
    pub(super) fn into_id(self) -> u8 {
        ManuallyDrop::new(self).node().id.id
    }

    /// Converts back from an id.
    ///
    /// # Safety
    ///
    /// `id` must be from [`PoolRef::into_id`], and must give up its reference.
    pub(super) unsafe fn from_id(id: u8) -> Self {
        // INVARIANT: The caller guarantees that the id gives up its reference to this value.
        Self {
            // SAFETY: The caller guarantees that `id` owns a reference to a node. The node has its id until it is
            // dropped, and `create` stored its pointer before an id could own a reference.
            node: unsafe { NonNull::new_unchecked(POOL_IDS.node(id)) },
        }
    }

    /// The pool of an id.
    ///
    /// # Safety
    ///
    /// `id` must be from [`PoolRef::into_id`], and own its reference during `'a`.
    pub(super) unsafe fn borrow_id<'a>(id: u8) -> &'a Pool {
        // SAFETY: The caller guarantees that `id` owns a reference to a node during `'a`, which pins the node. The
        // pointer of a taken id is that of its node, as in `from_id`.
        unsafe { &(*POOL_IDS.node(id)).pool }
    }
}

/// Mirrors `zswap_pool_get()`.
impl Clone for PoolRef {
    fn clone(&self) -> Self {
        // SAFETY: By the type invariant this value owns a reference.
        unsafe { self.node().refs.get() };
        // INVARIANT: The reference was just taken.
        Self { node: self.node }
    }
}

impl Deref for PoolRef {
    type Target = Pool;

    fn deref(&self) -> &Pool {
        &self.node().pool
    }
}

/// Mirrors `zswap_pool_put()`.
impl Drop for PoolRef {
    fn drop(&mut self) {
        // SAFETY: By the type invariant this value owns the reference, which pins the node until it is put.
        unsafe { PercpuRef::put(NonNull::new_unchecked(&raw mut (*self.node.as_ptr()).refs)) }
    }
}

// Over 700 lines: with this suite, which uses private parts of the list.
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
            // Shared by all runs of all tests, since the number of dynamic states is small.
            static STATE: SetOnce<cpuhotplug::State<Contexts>> = SetOnce::new();
            let pools = KBox::pin_init(PoolList::new(), GFP_KERNEL)?;
            if STATE.as_ref().is_none() {
                STATE.populate(kernel::builtin_cpu_state!(
                    cpuhotplug::StateSlot::PrepareDyn,
                    c"mm/zswap_pool:test"
                )?);
            }
            Ok(Self {
                // SAFETY: The list is leaked, so it never moves.
                pools: KBox::leak(unsafe { Pin::into_inner_unchecked(pools) }),
                state: STATE.as_ref().ok_or(EINVAL)?,
            })
        }

        /// Creates a pool with this algorithm.
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
                // SAFETY: The current pool is live, and no other task uses this list.
                unsafe { current.node().refs.kill() }
            }
        }
    }

    /// Algorithms for tests: any two compressors that zswap's Kconfig options select.
    pub(in super::super) fn algorithms() -> Result<[Algorithm; 2]> {
        let names: [&[u8]; 5] = [b"lzo", b"lzo-rle", b"lz4", b"zstd", b"deflate"];
        let mut available = names
            .into_iter()
            .filter_map(Algorithm::new)
            .filter(Algorithm::is_available);
        let mut next = || available.next().ok_or(ENOENT);
        Ok([next()?, next()?])
    }

    /// Waits until a worker has freed the pool with this id. Returns false after a timeout.
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
            // It is a new pool, since the others have references.
            assert!(!ids.contains(&n));
            assert_eq!(pool.into_id(), n);
            ids.push(n, GFP_KERNEL)?;
        }
        for (n, algorithm) in ids.iter().zip([&a, &b, &a]) {
            // SAFETY: The id is from `into_id`, and gives up its reference below.
            let pool = unsafe { PoolRef::borrow_id(*n) };
            assert_eq!(pool.algorithm().as_bytes(), algorithm.as_bytes());
        }
        for n in &ids {
            // SAFETY: The id is from `into_id`, and gives up its reference once.
            let pool = unsafe { PoolRef::from_id(*n) };
            assert_eq!(id(&pool), *n);
        }
        // The last pool is current, so it is not freed.
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

        // The reference pins the retired pool on the list, where readers see it.
        let second = list.add(&b)?;
        assert_eq!(second.algorithm().as_bytes(), b.as_bytes());
        assert!(list.seen().eq([id(&second), id(&first)]));
        // The current pool can't be taken.
        assert!(list.pools.take_retired(&b).is_none());

        // Back to the first: when the second has no references, it is freed.
        let retired = list.pools.take_retired(&a).ok_or(EINVAL)?;
        assert!(list.seen().eq([id(&second)]));
        retired.make_current();
        let n = id(&second);
        drop(second);
        assert!(freed(n));
        assert!(list.seen().eq([id(&first)]));
        assert_eq!(id(&list.pools.current().ok_or(EINVAL)?), id(&first));

        // A pool that was never made current is freed, too.
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
