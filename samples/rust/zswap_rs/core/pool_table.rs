// SPDX-License-Identifier: GPL-2.0-or-later

//! The table of pools. References to a pool are counted by a `percpu_ref`; readers find pools under RCU.
//!
//! One pool is current: stores use it. The others are retired. A retired pool stays in the table until its last
//! reference is put, so that its memory is accounted and it can be made current again. Each entry in a pool has a
//! reference to it. The count can reach zero in any context; a worker destroys the pool.
//!
//! A pool's id is its place in the table, below [`MAX_POOLS`], so that a reference fits into one byte of an entry:
//! [`PoolRef::into_id`].
//!
//! | pool    | in the table | count                             | owner          |
//! |---------|--------------|-----------------------------------|----------------|
//! | current | yes          | live, with the initial reference  | `current`      |
//! | retired | yes          | killed, or not live yet; not zero | all references |
//! | dying   | no           | zero                              | the worker     |
//!
//! Mirrors `zswap_pools`, and the functions of mm/zswap.c that use it. Only the holder of `param_lock` adds a pool or
//! changes `current`, so that C's `zswap_pools_lock` isn't needed.
//!
//! C header: [`include/linux/percpu-refcount.h`](srctree/include/linux/percpu-refcount.h)

use super::{
    glue::{
        zswap_set_ever_enabled,
        ParamLock, //
    },
    pool::Pool, //
};
use core::{
    mem::ManuallyDrop,
    ops::Deref,
    ptr::{
        null_mut,
        NonNull, //
    },
};
use kernel::{
    bindings, container_of,
    crypto::acompress::Algorithm,
    error::to_result,
    impl_has_work,
    prelude::*,
    static_lock_class,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Relaxed,
            Release, //
        },
        rcu, //
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

/// The maximum number of pools.
const MAX_POOLS: usize = 1 << u8::BITS;

/// The number of grace periods to wait for if the table is full. A pool that is retired without entries leaves the
/// table after one.
const GRACE_PERIODS: u32 = 4;

/// zswap's pools.
pub(crate) static POOLS: PoolTable = PoolTable::new();

/// A table of pools. See [the module](self).
///
/// # Invariants
///
/// - A pointer in `nodes` is null, or points to a node of this table with that id and with references. The last put
///   sets it to null; the node is freed an RCU grace period later.
/// - `current` is null or points to the node whose count is live, which is also in `nodes`.
/// - Only the holder of `param_lock` changes `current`, and a pointer in `nodes` that is null. The pointers from `nr`
///   on are null.
///
/// Only the pools of [`POOLS`] store pages. Tests have other tables.
// Aligned, so that what is read for each reference shares no cache line with other data.
#[repr(C, align(64))]
pub(crate) struct PoolTable {
    current: Atomic<*mut Node>,
    nr: Atomic<usize>,
    nodes: [Atomic<*mut Node>; MAX_POOLS],
}

/// A pool with its reference count, which C has in `struct zswap_pool`.
///
/// # Invariants
///
/// `refs` is initialised. `id` is the node's place in `table`.
// In this order, so that what is read for each reference shares a cache line.
#[pin_data]
#[repr(C)]
struct Node {
    #[pin]
    refs: Opaque<bindings::percpu_ref>,
    pool: Pool,
    #[pin]
    work: Work<Node>,
    table: &'static PoolTable,
    id: u8,
}

// SAFETY: A `struct percpu_ref` is bound to no thread; `Pool` is `Send`.
unsafe impl Send for Node {}
// SAFETY: Operations on a shared `struct percpu_ref` are atomic, or take a lock; `Pool` is `Sync`.
unsafe impl Sync for Node {}

impl_has_work! {
    impl HasWork<Node> for Node { self.work }
}

impl WorkItem for Node {
    type Pointer = Pin<KBox<Self>>;

    /// Frees a node that has no references and is not in the table. Mirrors `__zswap_pool_release()`.
    fn run(node: Pin<KBox<Self>>) {
        // A reader may have found the node before it was removed from the table.
        rcu::synchronize_rcu();
        let refs = node.refs.get();
        // SAFETY: By the type invariant `refs` is initialised. After the grace period no other task uses it.
        let is_zero = unsafe {
            let is_zero = bindings::percpu_ref_is_zero(refs);
            bindings::percpu_ref_exit(refs);
            is_zero
        };
        // No reader can have taken a reference to it.
        kernel::warn_on_once!(!is_zero);
        drop(node);
    }
}

/// Called when the last reference was put: removes the node from the table, and queues the work that frees it.
/// Mirrors `__zswap_pool_empty()`.
///
/// Runs in the context of the last `percpu_ref_put()`: possibly under spin locks with interrupts disabled, or in RCU's
/// softirq.
///
/// # Safety
///
/// Only for C, as the callback of a node's `refs`.
unsafe extern "C" fn released(refs: *mut bindings::percpu_ref) {
    // SAFETY: C passes the `refs` of a node, which `create` leaked from such a box. It has no reference, so no other
    // task frees it. Readers that have found it before have only a `&Node`, until the worker has waited for a grace
    // period; the box is not accessed mutably before.
    let node = unsafe {
        let refs = Opaque::cast_from(refs).cast_mut();
        Pin::new_unchecked(KBox::from_raw(container_of!(refs, Node, refs)))
    };
    // The current pool has its initial reference.
    kernel::warn_on_once!(node.is_current());
    // INVARIANT: The node has no references. Relaxed: the next owner of the place doesn't access this node.
    node.table.nodes[usize::from(node.id)].store(null_mut(), Relaxed);
    workqueue::system_percpu().enqueue(node);
}

impl Node {
    /// Whether the node is the current one of its table.
    fn is_current(&self) -> bool {
        core::ptr::eq(self.table.current.load(Relaxed), self)
    }

    /// Takes a reference, unless the last one was put. Mirrors `zswap_pool_tryget()`.
    fn tryget(&self) -> Option<PoolRef> {
        // SAFETY: By the type invariant `refs` is initialised.
        let taken = unsafe { bindings::percpu_ref_tryget(self.refs.get()) };
        // INVARIANT: The reference was just taken.
        taken.then(|| PoolRef {
            node: NonNull::from(self),
        })
    }
}

/// The node that a pointer of a [`PoolTable`] points to.
fn node<'a>(pointer: &Atomic<*mut Node>, _rcu: &'a rcu::Guard) -> Option<&'a Node> {
    // SAFETY: By the invariants of the table this is null or a node, which is not freed before the RCU read section
    // ends. Acquire: the stores of its creator happen before.
    unsafe { pointer.load(Acquire).as_ref() }
}

impl PoolTable {
    const fn new() -> Self {
        // INVARIANT: The table is empty.
        Self {
            current: Atomic::new(null_mut()),
            nr: Atomic::new(0),
            nodes: [const { Atomic::new(null_mut()) }; MAX_POOLS],
        }
    }

    /// The lowest free id. May sleep. Fails with `ENOSPC`.
    fn free_id(&self, _lock: &mut ParamLock) -> Result<u8> {
        for waited in 0..=GRACE_PERIODS {
            if waited > 0 {
                rcu::synchronize_rcu();
            }
            let mut ids = (0..=u8::MAX).zip(&self.nodes);
            if let Some((id, _)) = ids.find(|(_, node)| node.load(Relaxed).is_null()) {
                return Ok(id);
            }
        }
        Err(ENOSPC)
    }

    /// Adds `pool`, retired. May sleep.
    ///
    /// If [`MAX_POOLS`] pools exist, waits for those that have just been retired, and fails with `ENOSPC` if none was.
    ///
    /// Mirrors the second half of `zswap_pool_create()`.
    pub(crate) fn create(&'static self, lock: &mut ParamLock, pool: Pool) -> Result<PoolRef> {
        let id = self.free_id(lock)?;
        let node = KBox::pin_init(
            try_pin_init!(Node {
                pool,
                // SAFETY: `refs` is valid for writes and pinned, and initialised when the reference is taken. Its node
                // is leaked below, as `released` expects. This code is built in, as checked above.
                refs <- Opaque::try_ffi_init(|refs| unsafe {
                    let dead = bindings::PERCPU_REF_INIT_DEAD;
                    let gfp = bindings::GFP_KERNEL;
                    to_result(bindings::percpu_ref_init(refs, Some(released), dead, gfp))
                        .map(|()| bindings::percpu_ref_get(refs))
                }),
                work <- Work::new(c"zswap_pool_release", static_lock_class!()),
                table: self,
                id,
            }? Error),
            GFP_KERNEL,
        )?;
        // SAFETY: The node doesn't move until `released` creates a pinned box from it again.
        let node = NonNull::from(KBox::leak(unsafe { Pin::into_inner_unchecked(node) }));
        zswap_set_ever_enabled();
        // INVARIANT: A pointer below `nr` may be null.
        self.nr
            .store(self.nr.load(Relaxed).max(usize::from(id) + 1), Relaxed);
        // INVARIANT: The place is free and below `nr`, and `param_lock` is held. The node has a reference: that of the
        // result. Release: readers see all of the node.
        self.nodes[usize::from(id)].store(node.as_ptr(), Release);
        let pool = PoolRef { node };
        pr_debug!("created pool {}\n", pool.algorithm());
        Ok(pool)
    }

    /// The nodes in the table.
    fn nodes<'a>(&'a self, rcu: &'a rcu::Guard) -> impl Iterator<Item = &'a Node> {
        let nodes = self.nodes.iter().take(self.nr.load(Relaxed));
        nodes.filter_map(|pointer| node(pointer, rcu))
    }

    /// The memory that all pools use, current and retired, in pages. Any context except NMI.
    ///
    /// Mirrors `zswap_total_pages()`.
    #[inline(never)] // stack: keeps its locals out of zswap_store()'s frame
    pub(crate) fn total_pages(&self) -> usize {
        let rcu = rcu::read_lock();
        self.nodes(&rcu).fold(0, |total, node| {
            total.wrapping_add(node.pool.zs().total_pages())
        })
    }

    /// The current pool, or `None` if there never was one. Any context except NMI.
    ///
    /// Mirrors `zswap_pool_current_get()`, with `__zswap_pool_current()`.
    pub(crate) fn current(&self) -> Option<PoolRef> {
        node(&self.current, &rcu::read_lock())?.tryget()
    }

    /// A pool with this algorithm. Mirrors `zswap_pool_find_get()`.
    pub(crate) fn find(&self, algorithm: &Algorithm) -> Option<PoolRef> {
        let rcu = rcu::read_lock();
        let mut pools = self
            .nodes(&rcu)
            .filter(|node| node.pool.algorithm().as_bytes() == algorithm.as_bytes());
        pools.find_map(Node::tryget)
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

impl PoolRef {
    fn node(&self) -> &Node {
        // SAFETY: By the type invariant this value owns a reference.
        unsafe { self.node.as_ref() }
    }

    /// Makes the pool the current one of its table, and retires the previous one, which C finds with
    /// `zswap_pool_current()`. May sleep.
    pub(crate) fn make_current(&self, _lock: &mut ParamLock) {
        let node = self.node();
        if node.is_current() {
            return;
        }
        let current = &node.table.current;
        let old = current.load(Relaxed);
        // SAFETY: By the invariants of the table this node's count is not live, and no other task makes it live, as
        // `param_lock` is held. It is not zero, since `self` owns a reference.
        unsafe { bindings::percpu_ref_resurrect(node.refs.get()) };
        // INVARIANT: The node is in the table, and its count was just made live. That of `old` is killed below.
        // Release: a reader of it sees all of the node.
        current.store(self.node.as_ptr(), Release);
        if !old.is_null() {
            // SAFETY: `old` was current until now, so its count is live. No other task kills it, as `param_lock` is
            // held.
            unsafe { bindings::percpu_ref_kill((*old).refs.get()) };
        }
    }

    /// Converts to the pool's id, which owns the reference: see [`PoolRef::from_id`].
    pub(super) fn into_id(self) -> u8 {
        ManuallyDrop::new(self).node().id
    }

    /// Converts back from an id.
    ///
    /// # Safety
    ///
    /// `id` must be from [`PoolRef::into_id`], and must give up its reference.
    pub(super) unsafe fn from_id(id: u8) -> Self {
        // INVARIANT: The caller guarantees that the id gives up its reference to this value.
        Self {
            // SAFETY: The caller guarantees that `id` owns a reference to a node. While it has references, the node's
            // place in the table points to it.
            node: unsafe { NonNull::new_unchecked(POOLS.nodes[usize::from(id)].load(Relaxed)) },
        }
    }

    /// The pool of an id.
    ///
    /// # Safety
    ///
    /// `id` must be from [`PoolRef::into_id`], and own its reference during `'a`.
    pub(super) unsafe fn borrow_id<'a>(id: u8) -> &'a Pool {
        // SAFETY: The caller guarantees that `id` owns a reference to a node during `'a`, which pins the node, whose
        // place in the table points to it, as in `from_id`.
        unsafe { &(*POOLS.nodes[usize::from(id)].load(Relaxed)).pool }
    }
}

/// Mirrors `zswap_pool_get()`.
impl Clone for PoolRef {
    fn clone(&self) -> Self {
        // SAFETY: By the type invariant this value owns a reference, so the count is not zero.
        unsafe { bindings::percpu_ref_get(self.node().refs.get()) };
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
        unsafe { bindings::percpu_ref_put(self.node().refs.get()) }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kunit_tests(zswap_pool_table)]
pub(super) mod tests {
    use super::*;
    use kernel::{
        str::CString,
        time::{
            delay::fsleep,
            Delta, //
        },
    };

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

    /// Creates a pool that stores don't use.
    pub(in super::super) fn create(algorithm: &Algorithm) -> Result<PoolRef> {
        create_in(&POOLS, algorithm)
    }

    fn create_in(table: &'static PoolTable, algorithm: &Algorithm) -> Result<PoolRef> {
        static COUNT: Atomic<u32> = Atomic::new(0);
        let n = COUNT.fetch_add(1, Relaxed);
        let name = CString::try_from_fmt(fmt!("zswap_test{n}"))?;
        let pool = Pool::named(&name, algorithm.clone())?;
        ParamLock::with(|lock| table.create(lock, pool))
    }

    fn make_current(pool: &PoolRef) {
        ParamLock::with(|lock| pool.make_current(lock))
    }

    fn id(pool: &PoolRef) -> u8 {
        pool.node().id
    }

    /// The ids of the pools in `table`.
    fn ids(table: &PoolTable) -> impl Iterator<Item = u8> + '_ {
        let taken = |id: &u8| !table.nodes[usize::from(*id)].load(Relaxed).is_null();
        (0..=u8::MAX).filter(taken)
    }

    /// Waits until the pool with this id has left `table`. Returns false after a timeout.
    fn left(table: &PoolTable, id: u8) -> bool {
        (0..500).any(|_| {
            fsleep(Delta::from_millis(10));
            !ids(table).any(|taken| taken == id)
        })
    }

    #[test]
    fn there_are_no_more_pools_than_ids() {
        static TABLE: PoolTable = PoolTable::new();
        let free_id = || ParamLock::with(|lock| TABLE.free_id(lock));

        // Never dereferenced.
        let taken = core::ptr::without_provenance_mut(1);
        for (id, node) in TABLE.nodes.iter().enumerate() {
            assert_eq!(free_id().map(usize::from), Ok(id));
            node.store(taken, Relaxed);
        }
        assert_eq!(free_id(), Err(ENOSPC));

        // An id is free again when its pool has left.
        for (id, node) in TABLE.nodes.iter().enumerate() {
            node.store(null_mut(), Relaxed);
            assert_eq!(free_id(), Ok(0));
            assert_eq!(ids(&TABLE).count(), MAX_POOLS - id - 1);
        }
    }

    #[test]
    fn an_id_is_a_reference() -> Result {
        let [a, b] = algorithms()?;
        let mut all = KVec::new();
        for algorithm in [&a, &b, &a] {
            let pool = create(algorithm)?;
            let n = id(&pool);
            assert!(!all.contains(&n));
            assert_eq!(pool.into_id(), n);
            all.push(n, GFP_KERNEL)?;
        }
        for (n, algorithm) in all.iter().zip([&a, &b, &a]) {
            // SAFETY: The id is from `into_id`, and gives up its reference below.
            let pool = unsafe { PoolRef::borrow_id(*n) };
            assert_eq!(pool.algorithm().as_bytes(), algorithm.as_bytes());
        }
        for n in &all {
            // SAFETY: The id is from `into_id`, and gives up its reference once.
            let pool = unsafe { PoolRef::from_id(*n) };
            assert_eq!(id(&pool), *n);
        }
        assert!(all.iter().all(|n| left(&POOLS, *n)));
        Ok(())
    }

    #[test]
    fn pools_are_retired_and_made_current_again() -> Result {
        static TABLE: PoolTable = PoolTable::new();
        let current = || TABLE.current().as_ref().map(id);
        let found = |algorithm| TABLE.find(algorithm).as_ref().map(id);
        let [a, b] = algorithms()?;
        assert_eq!(current(), None);
        assert_eq!(ids(&TABLE).count(), 0);

        // A new pool is retired.
        let first = create_in(&TABLE, &a)?;
        assert_eq!(current(), None);
        make_current(&first);
        make_current(&first);
        assert_eq!(current(), Some(id(&first)));

        // The reference keeps the retired pool in the table.
        let second = create_in(&TABLE, &b)?;
        make_current(&second);
        assert_eq!(current(), Some(id(&second)));
        assert!(ids(&TABLE).eq([id(&first), id(&second)]));
        assert_eq!(found(&a), Some(id(&first)));

        // Back to the first: when the second has no references, it is freed.
        make_current(&first);
        assert_eq!(current(), Some(id(&first)));
        assert_eq!(found(&b), Some(id(&second)));
        let n = id(&second);
        drop(second);
        assert!(left(&TABLE, n));
        assert_eq!((found(&a), found(&b)), (Some(id(&first)), None));
        assert_eq!(current(), Some(id(&first)));

        // A pool that was never made current is freed, too.
        let unused = create_in(&TABLE, &b)?;
        let n = id(&unused);
        drop(unused);
        assert!(left(&TABLE, n));

        // Clones own references.
        let clone = first.clone();
        let last = create_in(&TABLE, &b)?;
        make_current(&last);
        let n = id(&first);
        drop(first);
        assert!(ids(&TABLE).eq([n, id(&last)]));
        drop(clone);
        assert!(left(&TABLE, n));
        assert_eq!(current(), Some(id(&last)));

        // For the next run.
        TABLE.current.store(null_mut(), Relaxed);
        // SAFETY: The pool was current, so its count is live, and no other task uses this table.
        unsafe { bindings::percpu_ref_kill(last.node().refs.get()) };
        let n = id(&last);
        drop(last);
        assert!(left(&TABLE, n));
        Ok(())
    }
}
