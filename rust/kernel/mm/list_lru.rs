// SPDX-License-Identifier: GPL-2.0

//! Lists of objects in the order of their last use: one for each NUMA node and memory cgroup.
//!
//! The user decides which objects are on the lists, and owns them: so adding, deleting and walking are unsafe, or
//! hand out pointers.
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

/// [`ListLru::state`]: nobody has called `init`.
const UNUSED: u32 = 0;
/// Somebody is in `init`, or it has failed.
const TAKEN: u32 = 1;
/// The lists can be used.
const READY: u32 = 2;

/// Lists for all nodes and memory cgroups. To be a `static`. Mirrors `struct list_lru`.
///
/// # Invariants
///
/// If `state` is `READY`, `lru` is an initialised `struct list_lru`, which knows about cgroups
/// and will never be destroyed. If it is `TAKEN`, one task has `lru` to itself.
pub struct ListLru {
    lru: Opaque<bindings::list_lru>,
    state: Atomic<u32>,
}

// SAFETY: A `struct list_lru` does its own locking, and has no thread.
unsafe impl Sync for ListLru {}

impl ListLru {
    /// Lists that can't be used yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        // INVARIANT: Unused.
        Self {
            lru: Opaque::uninit(),
            state: Atomic::new(UNUSED),
        }
    }

    /// Makes the lists usable, on behalf of `shrinker`: it will be called when there is something
    /// on them. Can be done once, else fails with `EBUSY`. May sleep.
    ///
    /// Mirrors `list_lru_init_memcg()`.
    pub fn init(&'static self, shrinker: &Shrinker) -> Result {
        if self.state.cmpxchg(UNUSED, TAKEN, Acquire).is_err() {
            return Err(EBUSY);
        }
        // SAFETY: By the exchange `lru` is ours alone; it is part of a `static`, and doesn't move.
        // C wants it zeroed, stores no more of the shrinker than its id, and doesn't destroy it.
        unsafe {
            self.lru.get().write_bytes(0, 1);
            to_result(bindings::list_lru_init_memcg(
                self.lru.get(),
                shrinker.as_raw(),
            ))?;
        }
        // INVARIANT: Initialised; release publishes that.
        self.state.store(READY, Release);
        Ok(())
    }

    /// The C lists, if they can be used.
    #[inline]
    fn ready(&self) -> Option<*mut bindings::list_lru> {
        (self.state.load(Acquire) == READY).then_some(self.lru.get())
    }

    /// Makes sure that the group and its ancestors have lists. May sleep.
    ///
    /// Fails with `ENODEV` if the lists can't be used yet, with `ENOMEM`. Mirrors
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

    /// Locks the list of a node, and of the group that `objcg` stands for now. Never sleeps.
    ///
    /// # Safety
    ///
    /// The lists must be usable, and the group, or after its death its parent, must [have](Self::prepare) lists.
    /// `nid` must be a node.
    #[inline]
    pub unsafe fn lock(&self, nid: NumaNode, objcg: Option<&ObjCgroup>) -> LockedList<'_> {
        let rcu = rcu::read_lock();
        let mut memcg = objcg.map_or(core::ptr::null_mut(), |objcg| objcg.memcg_rcu(&rcu));
        LockedList {
            lru: self,
            // SAFETY: `lru` is initialised. RCU keeps the group. As required, it has a list, or its parent has, which C
            // locks in its place.
            // INVARIANT: Just locked.
            list: unsafe { bindings::list_lru_lock(self.lru.get(), nid.as_raw(), &mut memcg) },
            nid,
            memcg,
            _rcu: rcu,
        }
    }

    /// Takes an object off the list of its node and group, and zeroes its links. Never sleeps.
    ///
    /// # Safety
    ///
    /// As for [`ListLru::lock`]. `links` must be those of an object on that list, or zeroed.
    #[inline]
    pub unsafe fn del(
        &self,
        links: *mut bindings::list_head,
        nid: NumaNode,
        objcg: Option<&ObjCgroup>,
    ) {
        let rcu = rcu::read_lock();
        let memcg = objcg.map_or(core::ptr::null_mut(), |objcg| objcg.memcg_rcu(&rcu));
        // SAFETY: `lru` is initialised, and the group, which RCU keeps, or its parent has the list that the object is
        // on. C looks at the links again under its lock.
        unsafe { bindings::list_lru_del_zeroed(self.lru.get(), links, nid.as_raw(), memcg) };
    }

    /// How many objects are on the list of a node and cgroup. Takes no lock.
    ///
    /// Mirrors `list_lru_count_one()`.
    pub fn count(&self, nid: NumaNode, memcg: Option<&MemCgroup>) -> usize {
        match self.ready() {
            // SAFETY: `lru` is initialised, and has lists for each node that there can be, which `nid` is by the
            // invariant of `NumaNode`; `memcg` is alive.
            Some(lru) if nid != NumaNode::NO_NODE => unsafe {
                bindings::list_lru_count_one(lru, nid.as_raw(), MemCgroup::raw(memcg))
            },
            _ => 0,
        }
    }

    /// Walks the list of a node and cgroup from its head, the least recently used, over no more
    /// than `nr_to_walk` objects, and takes as many off `nr_to_walk`.
    ///
    /// For each calls `f` with the object's links and the list, whose lock is held. `f` returns what C is to do. Mirrors
    /// `list_lru_walk_one()`.
    ///
    /// # Safety
    ///
    /// `f` must return what it has done: `LRU_REMOVED` only for an object that it took off the list,
    /// `LRU_REMOVED_RETRY`, `LRU_RETRY` and `LRU_STOP` after it dropped the lock, as C asks.
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
            // SAFETY: `walk` lends its closure to C for the call, which comes back here only.
            unsafe { (*f.cast::<F>())(links, list) }
        }
        let Some(lru) = self.ready() else { return };
        if nid == NumaNode::NO_NODE {
            return;
        }
        // SAFETY: `lru` is initialised for the node, `memcg` alive. `visit` gets `f` and objects
        // that are on the list; the number is one that C may count down.
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

/// A list whose lock is held, of a node and a group. Dropping it drops the lock.
///
/// # Invariants
///
/// `list` is the list of `lru` for `nid` and `memcg`, which RCU keeps, and is locked by us.
pub struct LockedList<'a> {
    lru: &'a ListLru,
    list: *mut bindings::list_lru_one,
    nid: NumaNode,
    memcg: *mut bindings::mem_cgroup,
    _rcu: rcu::Guard,
}

impl LockedList<'_> {
    /// Puts an object at the end of the list.
    ///
    /// # Safety
    ///
    /// `links` must be those of an object that lies on this list's node, is charged to its group, and is on no
    /// list. They must be [deleted](ListLru::del) before the object goes.
    #[inline]
    pub unsafe fn add(&mut self, links: *mut bindings::list_head) {
        // SAFETY: C wants links that say that they are on no list. By the type invariant this is the object's list, and
        // locked.
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

    /// Takes an object off the list, and zeroes its links.
    ///
    /// # Safety
    ///
    /// `links` must be those of an object on this list.
    #[inline]
    pub unsafe fn del(&mut self, links: *mut bindings::list_head) {
        // SAFETY: By the type invariant the list is locked, and the object is on it.
        unsafe {
            bindings::__list_lru_del(self.lru.lru.get(), self.list, links, self.nid.as_raw());
            links.write_bytes(0, 1);
        }
    }
}

impl Drop for LockedList<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant we have locked it.
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
        // All on one list: if node 0 has no memory, `nid_of()` is another.
        let nid = items[0].nid();
        if items[1].nid() != nid {
            return Ok(());
        }
        let links = |n: usize| items[n].0.get();
        for n in 0..2 {
            // SAFETY: The lists were prepared. The object lies on the node, and is on no list. It is deleted below.
            unsafe { LISTS.lock(nid, None).add(links(n)) };
            assert_eq!(LISTS.count(nid, None), n + 1);
        }

        // No more than 3, from the least recently used on.
        let (mut nr_to_walk, mut nr) = (3, 0);
        let visit = |found, _list| {
            assert_eq!(found, links(nr % 2));
            nr += 1;
            bindings::lru_status::LRU_ROTATE
        };
        // SAFETY: It leaves the object on the list, and the lock held.
        unsafe { LISTS.walk(nid, None, &mut nr_to_walk, visit) };
        assert!(nr >= 2);
        assert_eq!(nr_to_walk + nr, 3);

        for _ in 0..2 {
            // SAFETY: The first object is on the list, and then is not: its links are zeroed.
            unsafe { LISTS.del(links(0), nid, None) };
        }
        assert_eq!(LISTS.count(nid, None), 1);
        // SAFETY: The second object is on the list.
        unsafe { LISTS.lock(nid, None).del(links(1)) };
        assert_eq!(LISTS.count(nid, None), 0);
        Ok(())
    }
}
