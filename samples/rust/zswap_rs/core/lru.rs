// SPDX-License-Identifier: GPL-2.0-or-later

//! The entries in LRU order: one list per NUMA node and memory cgroup.
//!
//! The list of an entry follows from the node of its memory and the cgroup that it is charged to, neither of which
//! changes. An entry is removed from its list before it is freed.
//!
//! The API rules out past bugs with `list_lru`: removing an entry from a list that it isn't on; using an entry after
//! the list's lock was dropped, which consumes the [`Visit`]; continuing a walk after taking the lock again; and
//! returning `LRU_REMOVED` for an entry that was not removed, which `list_lru` would count twice.

use super::entry::{
    Entry,
    Links, //
};
use core::marker::PhantomData;
use kernel::{
    alloc::{
        Flags,
        NumaNode, //
    },
    bindings,
    container_of,
    mm::{
        list_lru::{
            ListLru,
            LockedList, //
        },
        memcontrol::{
            MemCgroup,
            ObjCgroup, //
        },
    },
    prelude::*,
    shrinker::Shrinker,
    slab,
    types::NotThreadSafe, //
};

/// The lists: C's `zswap_list_lru`. They contain the [`Links`] of entries, each on the list of its memory's node and of
/// the cgroup that it is charged to.
pub(super) static LRU: ListLru = ListLru::new();

/// The links of an entry, as a pointer that may be used to access the whole entry.
///
/// # Safety
///
/// `entry` must be alive.
pub(super) unsafe fn raw_links(entry: *mut Entry) -> *mut bindings::list_head {
    // SAFETY: The caller guarantees that the entry is alive.
    unsafe { (&raw mut (*entry).links).cast() }
}

/// The entry that contains `links`.
///
/// # Safety
///
/// `links` must be from [`raw_links`].
pub(super) unsafe fn entry_of(links: *mut bindings::list_head) -> *mut Entry {
    // SAFETY: The caller guarantees that `links` is from `raw_links`, so that field of an entry.
    unsafe { container_of!(links.cast::<Links>(), Entry, links) }
}

/// Proof that entries that are charged to `objcg` can be put on their lists.
///
/// # Invariants
///
/// [`LRU`] is initialised. The cgroup of `objcg`, if any, and its ancestors have lists in it.
#[derive(Clone, Copy)]
pub(crate) struct Prepared<'a> {
    objcg: Option<&'a ObjCgroup>,
}

impl<'a> Prepared<'a> {
    /// The objcg to which the entries must be charged.
    pub(crate) fn objcg(&self) -> Option<&'a ObjCgroup> {
        self.objcg
    }
}

/// Allocates the lists of entries that are charged to `objcg`. May sleep.
///
/// Fails with `ENODEV` before zswap is set up, and with `ENOMEM`. Mirrors `memcg_list_lru_alloc()`.
pub(crate) fn prepare(objcg: Option<&ObjCgroup>, gfp: Flags) -> Result<Prepared<'_>> {
    let memcg = objcg.and_then(ObjCgroup::memcg);
    LRU.prepare(memcg.as_deref(), gfp)?;
    // INVARIANT: `LRU.prepare` has succeeded: `LRU` is initialised, and the cgroup and its ancestors have lists.
    Ok(Prepared { objcg })
}

/// Adds the entries of a chain to the tails of their lists, in order. From here on walks find them. Takes the list's
/// lock once for consecutive entries on the same node. Never sleeps.
///
/// Mirrors `zswap_lru_add()` of each entry.
///
/// # Safety
///
/// `links` must be the first of a `next`-linked chain of at least `nr` links, all from [`raw_links`]. Their entries
/// must be on no list, and be charged to the objcg of `prepared`. They must not be freed until this returns.
pub(super) unsafe fn add_chain(
    mut links: *mut bindings::list_head,
    nr: usize,
    prepared: Prepared<'_>,
) {
    let nid_of = |links: *mut bindings::list_head| {
        // SAFETY: The caller guarantees that the links are from `raw_links`, of entries that are alive. Entries are in
        // memory of a slab cache.
        unsafe { slab::nid_of(entry_of(links)) }
    };
    let mut left = nr;
    while left != 0 {
        let nid = nid_of(links);
        // SAFETY: By the invariant of `Prepared` the cgroup and its ancestors have lists. If the cgroup was removed
        // since then, the list of its parent has taken over the entries, and the cgroup gets no list any more. So `del`
        // finds the same list.
        let mut list = unsafe { LRU.lock(nid, prepared.objcg) };
        loop {
            // SAFETY: The caller guarantees that `left` entries are in the chain from `links` on, none of which is on a
            // list. `list` is that of the entry's node and cgroup. `del` removes the entry before it is freed.
            unsafe {
                let next = (*links).next;
                list.add(links);
                links = next;
            }
            left = left.wrapping_sub(1);
            if left == 0 || nid_of(links) != nid {
                break;
            }
        }
    }
}

/// Removes an entry from its list, if it is on one. Takes the list's lock, and thereby waits for a walk that accesses
/// the entry. Never sleeps. Mirrors `zswap_lru_del()`.
pub(super) fn del(entry: &slab::Box<Entry>) {
    // Only the task that publishes an entry adds it to a list, and only once. So links that aren't in use stay unused
    // while the caller owns the entry.
    if entry.links.are_in_use() {
        // SAFETY: The caller owns the entry, so no task publishes it, and it is in no batch. By the invariant of `Links`
        // it is on a list. So `LRU` is initialised, and the entry's cgroup, or its parent, has a list on the entry's node.
        let mut list = unsafe { LRU.lock(entry.nid(), entry.objcg()) };
        // SAFETY: The entry is on the list of its node and cgroup, and only its owner removes it.
        unsafe { list.del(entry.links.as_raw()) };
    }
}

/// Removes entries from their lists. Takes the list's lock once for consecutive entries on the same list.
///
/// # Safety
///
/// The entries must be in memory of a slab cache, and the caller must have a witness for their slots.
pub(super) unsafe fn del_each<'a>(entries: impl Iterator<Item = &'a Entry>) {
    // The locked list, with its node and objcg.
    let mut current: Option<(NumaNode, Option<*const ObjCgroup>, LockedList<'_>)> = None;
    for entry in entries {
        if !entry.links.are_in_use() {
            continue;
        }
        // SAFETY: The caller guarantees that the entry is in memory of a slab cache.
        let nid = unsafe { slab::nid_of(entry) };
        let objcg = entry.objcg().map(core::ptr::from_ref);
        let list = match &mut current {
            Some((its_nid, its_objcg, list)) if *its_nid == nid && *its_objcg == objcg => list,
            _ => {
                drop(current.take());
                // SAFETY: The entry is on a list. So `LRU` is initialised, and the entry's cgroup, or its parent, has a
                // list on the entry's node.
                let list = unsafe { LRU.lock(nid, entry.objcg()) };
                &mut current.insert((nid, objcg, list)).2
            }
        };
        // SAFETY: The links are in use. No batch has them, as it lends its entries to no caller of this, and no task
        // publishes the entry, as the caller has the witness for its slot. So, by the invariant of `Links`, they are
        // on the list of the entry's node and cgroup, which is locked. The caller has a witness for the entry's slot,
        // so no other task removes it.
        unsafe { list.del(entry.links.as_raw()) };
    }
}

/// Initialises the lists for `shrinker`. See [`ListLru::init`].
pub(crate) fn init(shrinker: &Shrinker) -> Result {
    LRU.init(shrinker)
}

/// The number of entries on the list of a node and cgroup. Takes no lock.
///
/// Mirrors `list_lru_count_one()`.
pub(crate) fn count(nid: NumaNode, memcg: Option<&MemCgroup>) -> usize {
    LRU.count(nid, memcg)
}

/// Walks the list of a node and cgroup from its head, the least recently used entry, over at most `nr_to_walk` entries,
/// and subtracts the number of visited entries from `nr_to_walk`.
///
/// Calls `f` for each entry, with the list's lock held. Until `f` drops the lock, it must not sleep, and must not take
/// the lock of a list, as another walk and the freeing of an entry do. That would deadlock; types don't track which
/// locks are held. Without `CONFIG_SMP` a second acquisition succeeds, and freeing the visited entry is a
/// use-after-free. Mirrors `list_lru_walk_one()`.
pub(crate) fn walk<F>(nid: NumaNode, memcg: Option<&MemCgroup>, nr_to_walk: &mut usize, mut f: F)
where
    F: for<'v> FnMut(Visit<'v>) -> Next<'v>,
{
    let visit = |links, list| {
        let brand = Brand(PhantomData, NotThreadSafe);
        // INVARIANT: `LRU.walk` calls this with `list` locked, and the links of an entry on it.
        f(Visit { links, list, brand }).status
    };
    // SAFETY: A `Next` is created from the `Visit`, or from the `Unlocked` that dropping the lock returned, with the
    // matching status.
    unsafe { LRU.walk(nid, memcg, nr_to_walk, visit) };
}

/// Ties the result of a visit to exactly that visit, and to its task.
struct Brand<'v>(PhantomData<fn(&'v ()) -> &'v ()>, NotThreadSafe);

/// An entry that a walk visits. The list's lock is held, so that the entry can't be freed.
///
/// # Invariants
///
/// This task holds the lock of `list`. `links` is from [`raw_links`], and on that list.
#[must_use = "a walk wants to know what to do next"]
pub(crate) struct Visit<'v> {
    links: *mut bindings::list_head,
    list: *mut bindings::list_lru_one,
    brand: Brand<'v>,
}

/// The status that the visit `'v` returns to the walk. It also shows whether the visit has dropped the lock.
///
/// Never `LRU_REMOVED`: an entry is removed from the list when it is freed.
pub(crate) struct Next<'v> {
    status: bindings::lru_status,
    _brand: Brand<'v>,
}

impl<'v> Next<'v> {
    fn new(status: bindings::lru_status, _brand: Brand<'v>) -> Self {
        Self { status, _brand }
    }
}

impl<'v> Visit<'v> {
    /// The entry, for as long as the lock is held.
    pub(crate) fn entry(&self) -> &Entry {
        // SAFETY: By the type invariant the entry is on the list. It is removed from the list before it is freed, which
        // requires the lock that this task holds. Other tasks have only shared references.
        unsafe { &*entry_of(self.links) }
    }

    /// Moves the entry to the tail of the list, and continues with the next entry.
    pub(crate) fn rotate(self) -> Next<'v> {
        Next::new(bindings::lru_status::LRU_ROTATE, self.brand)
    }

    /// Moves the entry to the tail of the list and drops the lock. Afterwards the entry may be freed at any time.
    pub(crate) fn rotate_and_unlock(self) -> Unlocked<'v> {
        // SAFETY: By the type invariant this task holds the list's lock, and the entry is on the list.
        unsafe {
            bindings::list_move_tail(self.links, &raw mut (*self.list).list);
            bindings::spin_unlock(&raw mut (*self.list).lock);
        }
        Unlocked(self.brand)
    }
}

/// Proof that the visit `'v` has dropped the lock. The visit must not take it again: to continue, C takes it and starts
/// at the head.
#[must_use = "a walk wants to know what to do next"]
pub(crate) struct Unlocked<'v>(Brand<'v>);

impl<'v> Unlocked<'v> {
    /// Continues the walk at the head of the list.
    pub(crate) fn restart(self) -> Next<'v> {
        Next::new(bindings::lru_status::LRU_RETRY, self.0)
    }

    /// Ends the walk.
    pub(crate) fn stop(self) -> Next<'v> {
        Next::new(bindings::lru_status::LRU_STOP, self.0)
    }
}
