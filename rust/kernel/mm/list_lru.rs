// SPDX-License-Identifier: GPL-2.0

//! Lists of objects in the order of their last use: one list for each NUMA node and memory cgroup.
//!
//! The user owns the objects, and decides which of them are on the lists. Adding, deleting and
//! walking are therefore unsafe, or pass raw pointers.
//!
//! C header: [`include/linux/list_lru.h`](srctree/include/linux/list_lru.h)

use crate::{
    alloc::{
        Flags,
        NumaNode, //
    },
    bindings,
    error::to_result,
    mm::memcontrol::{
        MemCgroup,
        ObjCgroup, //
    },
    prelude::*,
    shrinker::Shrinker,
    sync::{
        atomic::{
            Acquire,
            Atomic,
            Release, //
        },
        rcu, //
    },
    types::Opaque, //
};

/// [`ListLru::state`]: `init` was not called yet.
const UNUSED: u32 = 0;
/// [`ListLru::state`]: `init` is running or has failed.
const TAKEN: u32 = 1;
/// [`ListLru::state`]: the lists can be used.
const READY: u32 = 2;

/// Lists for all nodes and memory cgroups. Must be a `static`. Mirrors `struct list_lru`.
///
/// # Invariants
///
/// If `state` is `READY`, `lru` is an initialised, memcg-aware `struct list_lru`, which is never
/// destroyed. If `state` is `TAKEN`, at most one task accesses `lru`: the one in `init`.
pub struct ListLru {
    lru: Opaque<bindings::list_lru>,
    state: Atomic<u32>,
}

// SAFETY: A `struct list_lru` does its own locking, and is bound to no thread.
unsafe impl Sync for ListLru {}

impl ListLru {
    /// Creates lists that aren't initialised: see [`ListLru::init`].
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        // INVARIANT: The state is `UNUSED`, for which `lru` may be anything.
        Self {
            lru: Opaque::uninit(),
            state: Atomic::new(UNUSED),
        }
    }

    /// Initialises the lists, for `shrinker`: reclaim calls it for a cgroup once an object is on
    /// the cgroup's list. May sleep.
    ///
    /// Fails with `EBUSY` if it was called before, and with `ENOMEM`. Mirrors
    /// `list_lru_init_memcg()`.
    pub fn init(&'static self, shrinker: &Shrinker) -> Result {
        if self.state.cmpxchg(UNUSED, TAKEN, Acquire).is_err() {
            return Err(EBUSY);
        }
        // SAFETY: The exchange gives this task exclusive access to `lru`, which is part of a
        // `static`, and doesn't move. It is zeroed first, as C requires. C stores the shrinker's id
        // and no pointer to it.
        unsafe {
            self.lru.get().write_bytes(0, 1);
            to_result(bindings::list_lru_init_memcg(
                self.lru.get(),
                shrinker.as_raw(),
            ))?;
        }
        // INVARIANT: `lru` was initialised above. Release orders that before the state, for
        // `ready`.
        self.state.store(READY, Release);
        Ok(())
    }

    /// The lists, for C; `None` unless they are initialised.
    #[inline]
    fn ready(&self) -> Option<*mut bindings::list_lru> {
        (self.state.load(Acquire) == READY).then_some(self.lru.get())
    }

    /// Allocates the lists of the cgroup and its ancestors, unless they have them. May sleep.
    ///
    /// Fails with `ENODEV` if the lists aren't initialised, and with `ENOMEM`. Mirrors
    /// `memcg_list_lru_alloc()`.
    #[inline]
    pub fn prepare(&self, memcg: Option<&MemCgroup>, gfp: Flags) -> Result {
        let lru = self.ready().ok_or(ENODEV)?;
        if let Some(memcg) = memcg {
            // SAFETY: `lru` is initialised, `memcg` is alive.
            to_result(unsafe {
                bindings::list_lru_alloc_memcg(MemCgroup::raw(Some(memcg)), lru, gfp.as_raw())
            })?;
        }
        Ok(())
    }

    /// Locks the list of a node, and of the cgroup that `objcg` refers to now. Never sleeps.
    /// Mirrors `list_lru_lock()`.
    ///
    /// # Safety
    ///
    /// The lists must be initialised, and the cgroup, or the ancestor whose list C locks in its
    /// place when the cgroup is dying, must [have](Self::prepare) lists. `nid` must be a node.
    #[inline]
    pub unsafe fn lock(&self, nid: NumaNode, objcg: Option<&ObjCgroup>) -> LockedList<'_> {
        let rcu = rcu::read_lock();
        let mut memcg = objcg.map_or(core::ptr::null_mut(), |objcg| objcg.memcg_rcu(&rcu));
        LockedList {
            lru: self,
            // SAFETY: The caller guarantees that `lru` is initialised, and that the cgroup has a
            // list, or the ancestor whose list C locks in its place. The RCU read lock pins the
            // cgroup.
            // INVARIANT: The list was just locked, and C has updated `memcg` to the cgroup whose
            // list it is.
            list: unsafe { bindings::list_lru_lock(self.lru.get(), nid.as_raw(), &mut memcg) },
            nid,
            memcg,
            _rcu: rcu,
        }
    }

    /// The number of objects on the list of a node and cgroup; 0 if the lists aren't initialised.
    /// Takes no lock.
    ///
    /// Mirrors `list_lru_count_one()`.
    pub fn count(&self, nid: NumaNode, memcg: Option<&MemCgroup>) -> usize {
        match self.ready() {
            // SAFETY: `lru` is initialised, and has a list for each possible node. By the invariant
            // of `NumaNode`, `nid` is one; `memcg` is alive.
            Some(lru) if nid != NumaNode::NO_NODE => unsafe {
                bindings::list_lru_count_one(lru, nid.as_raw(), MemCgroup::raw(memcg))
            },
            _ => 0,
        }
    }

    /// Walks the list of a node and cgroup from its head, the least recently used object. Visits at
    /// most `nr_to_walk` objects, and decrements `nr_to_walk` for each.
    ///
    /// Calls `f` for each object, with its links and the list, whose lock is held. `f` returns an
    /// `enum lru_status`. Mirrors `list_lru_walk_one()`.
    ///
    /// # Safety
    ///
    /// `f` must return the status of what it has done: `LRU_REMOVED` only for an object that it has
    /// removed from the list; `LRU_REMOVED_RETRY`, `LRU_RETRY` and `LRU_STOP` only after it has
    /// dropped the lock, as C requires.
    #[inline]
    pub unsafe fn walk<F>(
        &self,
        nid: NumaNode,
        memcg: Option<&MemCgroup>,
        nr_to_walk: &mut usize,
        mut f: F,
    ) where
        F: FnMut(*mut bindings::list_head, *mut bindings::list_lru_one) -> bindings::lru_status,
    {
        /// # Safety
        ///
        /// Only for `list_lru_walk_one()` as called by [`ListLru::walk`], with its `f`.
        unsafe extern "C" fn visit<
            F: FnMut(*mut bindings::list_head, *mut bindings::list_lru_one) -> bindings::lru_status,
        >(
            links: *mut bindings::list_head,
            list: *mut bindings::list_lru_one,
            f: *mut c_void,
        ) -> bindings::lru_status {
            // SAFETY: `f` is the closure that `walk` lends to C for the call. C passes it to this
            // function only.
            unsafe { (*f.cast::<F>())(links, list) }
        }
        let Some(lru) = self.ready() else { return };
        if nid == NumaNode::NO_NODE {
            return;
        }
        // SAFETY: `lru` is initialised for the node, and `memcg` is alive. C passes to `visit` the
        // closure `f`, and the links of objects on the list. C may decrement `nr_to_walk`, which is
        // borrowed exclusively.
        unsafe {
            bindings::list_lru_walk_one(
                lru,
                nid.as_raw(),
                MemCgroup::raw(memcg),
                Some(visit::<F>),
                (&raw mut f).cast(),
                nr_to_walk,
            )
        };
    }
}

/// The list of a node and a cgroup, with its lock held. Dropping this releases the lock.
///
/// # Invariants
///
/// `list` is the list of `lru` for `nid` and `memcg`. `_rcu` pins `memcg`. This value owns the
/// list's lock.
pub struct LockedList<'a> {
    lru: &'a ListLru,
    list: *mut bindings::list_lru_one,
    nid: NumaNode,
    memcg: *mut bindings::mem_cgroup,
    _rcu: rcu::Guard,
}

impl LockedList<'_> {
    /// Adds an object at the tail of the list. Mirrors `__list_lru_add()`.
    ///
    /// # Safety
    ///
    /// `links` must be the links of an object that lies on this list's node, is charged to its
    /// cgroup, and is on no list. The object must be [deleted](Self::del) from the list before
    /// it is freed.
    #[inline]
    pub unsafe fn add(&mut self, links: *mut bindings::list_head) {
        // SAFETY: The links are initialised to an empty list, which C requires. By the type
        // invariant the list is locked, and the caller guarantees that it is the object's.
        unsafe {
            bindings::INIT_LIST_HEAD(links);
            bindings::__list_lru_add(
                self.lru.lru.get(),
                self.list,
                links,
                self.nid.as_raw(),
                self.memcg,
            );
        }
    }

    /// Removes an object from the list, and zeroes its links. Mirrors `__list_lru_del()`.
    ///
    /// # Safety
    ///
    /// `links` must be the links of an object on this list.
    #[inline]
    pub unsafe fn del(&mut self, links: *mut bindings::list_head) {
        // SAFETY: By the type invariant the list is locked. The caller guarantees that the object
        // is on it.
        unsafe {
            bindings::__list_lru_del(self.lru.lru.get(), self.list, links, self.nid.as_raw());
            links.write_bytes(0, 1);
        }
    }
}

impl Drop for LockedList<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the list's lock is held, and owned by this value.
        unsafe { bindings::list_lru_unlock(self.list) }
    }
}

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[crate::macros::kunit_tests(rust_list_lru)]
mod tests {
    use super::*;
    use crate::{
        alloc::flags::GFP_KERNEL,
        error::code::ENOMEM,
        shrinker::{
            Request,
            Scanned,
            Shrink, //
        },
        slab,
        sync::SetOnce,
    };

    struct Pressure;

    impl Shrink for Pressure {
        fn count(_request: &Request<'_>) -> usize {
            0
        }

        fn scan(_request: &Request<'_>, _nr_to_scan: &mut usize) -> Scanned {
            Scanned::Refused
        }
    }

    struct Item(Opaque<bindings::list_head>);

    #[test]
    fn objects_are_walked_in_order() -> Result {
        // Never freed, so that the test can be run again.
        static CACHE: SetOnce<slab::Cache<Item>> = SetOnce::new();
        static LISTS: ListLru = ListLru::new();

        if CACHE.as_ref().is_none() {
            assert_eq!(LISTS.prepare(None, GFP_KERNEL).err(), Some(ENODEV));
            assert_eq!(LISTS.count(NumaNode::new(0)?, None), 0);
            CACHE.populate(slab::Cache::new(c"rust_list_lru_test")?);
            let shrinker = Shrinker::new::<Pressure>(c"rust_list_lru_test")?;
            LISTS.init(&shrinker)?;
            assert_eq!(LISTS.init(&shrinker).err(), Some(EBUSY));
            core::mem::forget(shrinker);
        }
        LISTS.prepare(None, GFP_KERNEL)?;
        let cache = CACHE.as_ref().ok_or(ENOMEM)?;
        let new = || -> Result<_> {
            let memory = cache.alloc(GFP_KERNEL, NumaNode::new(0)?)?;
            Ok(memory.write(Item(Opaque::zeroed())))
        };
        let items = [new()?, new()?];
        // Both objects must be on one list: if node 0 has no memory, they may lie on different
        // nodes.
        let nid = items[0].nid();
        if items[1].nid() != nid {
            return Ok(());
        }
        let links = |n: usize| items[n].0.get();
        for n in 0..2 {
            // SAFETY: The lists were prepared. The object lies on the node, and is on no list. It
            // is deleted below.
            unsafe { LISTS.lock(nid, None).add(links(n)) };
            assert_eq!(LISTS.count(nid, None), n + 1);
        }

        // Visits at most 3 objects, beginning with the least recently used one.
        let (mut nr_to_walk, mut nr) = (3, 0);
        let visit = |found, _list| {
            assert_eq!(found, links(nr % 2));
            nr += 1;
            bindings::lru_status::LRU_ROTATE
        };
        // SAFETY: `visit` leaves the object on the list, and the lock held.
        unsafe { LISTS.walk(nid, None, &mut nr_to_walk, visit) };
        assert!(nr >= 2);
        assert_eq!(nr_to_walk + nr, 3);

        for n in 0..2 {
            // SAFETY: The object is on the list.
            unsafe { LISTS.lock(nid, None).del(links(n)) };
            assert_eq!(LISTS.count(nid, None), 1 - n);
        }
        Ok(())
    }
}
