// SPDX-License-Identifier: GPL-2.0-or-later

//! The entries in LRU order: a list for each NUMA node and memory cgroup.
//!
//! Which list an entry is on follows from where it lies and what it is charged to, neither of which changes. An
//! entry that is freed is taken off its list first.
//!
//! Mistakes that were made with these lists can't be made here: to take an entry off a list that it isn't on, to
//! use an entry after the list's lock was dropped (what a walk hands out is consumed by that), to take up the lock
//! again and go on, or to say "removed" for an entry that wasn't, which `list_lru` would count twice.

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

/// The lists: C's `zswap_list_lru`. On them are the [`Links`] of entries, each on the list of the node that it lies
/// on and the cgroup that it is charged to.
pub(super) static LRU: ListLru = ListLru::new();

/// The links of an entry, by a pointer that is good for all of it.
///
/// # Safety
///
/// `entry` must be alive.
#[inline]
pub(super) unsafe fn raw_links(entry: *mut Entry) -> *mut bindings::list_head {
    // SAFETY: The entry is alive.
    unsafe { (&raw mut (*entry).links).cast() }
}

/// The entry of links.
///
/// # Safety
///
/// `links` must be from [`raw_links`].
#[inline]
pub(super) unsafe fn entry_of(links: *mut bindings::list_head) -> *mut Entry {
    // SAFETY: The caller guarantees that they are this field of an entry.
    unsafe { container_of!(links.cast::<Links>(), Entry, links) }
}

/// Proof that entries which are charged to a group can be put on their lists.
///
/// # Invariants
///
/// [`LRU`] is initialised. If `objcg` stands for a group, that one and its ancestors have lists in it.
#[derive(Clone, Copy)]
pub(crate) struct Prepared<'a> {
    objcg: Option<&'a ObjCgroup>,
}

impl<'a> Prepared<'a> {
    /// What entries are to be charged to.
    #[inline]
    pub(crate) fn objcg(&self) -> Option<&'a ObjCgroup> {
        self.objcg
    }
}

/// Makes sure that entries which are charged to `objcg` can be put on their lists. May sleep.
///
/// Fails with `ENODEV` before zswap is set up, with `ENOMEM`. Mirrors `memcg_list_lru_alloc()`.
pub(crate) fn prepare(objcg: Option<&ObjCgroup>, gfp: Flags) -> Result<Prepared<'_>> {
    let memcg = objcg.and_then(ObjCgroup::memcg);
    LRU.prepare(memcg.as_deref(), gfp)?;
    // INVARIANT: The group and its ancestors have lists now, if there is one.
    Ok(Prepared { objcg })
}

/// Puts the entries of a chain at the end of their lists, the most recently used, in order. From here on walks
/// find them. Takes a list's lock once, or as often as the node changes; never sleeps.
///
/// Mirrors `zswap_lru_add()` of each.
///
/// # Safety
///
/// `links` must begin a `next`-linked chain of the links, from [`raw_links`], of at least `nr` entries, at least one, which
/// are charged to the group of `prepared`. Their owner must leave them in place until this returns.
#[inline]
pub(super) unsafe fn add_chain(
    mut links: *mut bindings::list_head,
    nr: usize,
    prepared: Prepared<'_>,
) {
    let nid_of = |links: *mut bindings::list_head| {
        // SAFETY: The chain has the links of entries that are alive, in a slab cache.
        unsafe { slab::nid_of(entry_of(links)) }
    };
    let mut left = nr;
    while left != 0 {
        let nid = nid_of(links);
        // SAFETY: The lists were prepared for the group. If it has died since, its parent has a list, which has taken
        // over its entries, as the group itself gets no list any more. So `del` will find the list that this one is.
        let mut list = unsafe { LRU.lock(nid, prepared.objcg) };
        loop {
            // SAFETY: There are `left` entries in the chain from `links` on, none of which is on a list. The list is
            // that of the entry's node and group. Before the entry is freed, `del` takes it off.
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

/// Takes an entry off its list, if it is on it. Waits for a walk that is looking at the entry. Takes the list's
/// lock, never sleeps. Mirrors `zswap_lru_del()`.
#[inline]
pub(super) fn del(entry: &slab::Box<Entry>) {
    // An entry is put on a list once, by the task that publishes it. So links that aren't in use stay so while the
    // caller has the entry.
    if entry.links.are_in_use() {
        // SAFETY: The entry is on a list, so that `LRU` is initialised and its group, or that one's parent, has a list
        // on the entry's node.
        unsafe { LRU.del(entry.links.as_raw(), entry.nid(), entry.objcg()) };
    }
}

/// Takes entries off their lists: under one hold of the lock for those that follow one another on one list.
///
/// # Safety
///
/// The entries must be in memory of a slab cache, and the caller's, by a witness for their slots.
#[inline]
pub(super) unsafe fn del_each<'a>(entries: impl Iterator<Item = &'a Entry>) {
    // Of the list that is locked: whose it is, and the list.
    let mut current: Option<(NumaNode, Option<*const ObjCgroup>, LockedList<'_>)> = None;
    for entry in entries {
        if !entry.links.are_in_use() {
            continue;
        }
        // SAFETY: It is in memory of a slab cache.
        let nid = unsafe { slab::nid_of(entry) };
        let objcg = entry.objcg().map(core::ptr::from_ref);
        let list = match &mut current {
            Some((its_nid, its_objcg, list)) if *its_nid == nid && *its_objcg == objcg => list,
            _ => {
                drop(current.take());
                // SAFETY: The entry is on a list, so that `LRU` is initialised and its group, or that one's parent,
                // has a list.
                let list = unsafe { LRU.lock(nid, entry.objcg()) };
                &mut current.insert((nid, objcg, list)).2
            }
        };
        // SAFETY: Links that are in use and of no batch, which lends its entries to nobody, are on the list of the
        // entry's node and group, which is locked. The entry is the caller's: nobody else takes it off.
        unsafe { list.del(entry.links.as_raw()) };
    }
}

/// Makes the lists usable, on behalf of `shrinker`. As [`ListLru::init`].
pub(crate) fn init(shrinker: &Shrinker) -> Result {
    LRU.init(shrinker)
}

/// How many entries are on the list of a node and cgroup. Takes no lock.
///
/// Mirrors `list_lru_count_one()`.
pub(crate) fn count(nid: NumaNode, memcg: Option<&MemCgroup>) -> usize {
    LRU.count(nid, memcg)
}

/// Walks the list of a node and cgroup from its head, the least recently used, over no more than `nr_to_walk`
/// entries, and takes as many off `nr_to_walk`.
///
/// For each calls `f`, with the list's lock held: `f` must not sleep before it drops the lock, nor call what
/// takes the lock of a list: another walk, or freeing an entry. That deadlocks, as types don't say which locks are
/// held; without `CONFIG_SMP` it takes the lock a second time, and freeing the entry of the visit is a use after
/// free. Mirrors `list_lru_walk_one()`.
pub(crate) fn walk<F>(nid: NumaNode, memcg: Option<&MemCgroup>, nr_to_walk: &mut usize, mut f: F)
where
    F: for<'v> FnMut(Visit<'v>) -> Next<'v>,
{
    let visit = |links, list| {
        let brand = Brand(PhantomData, NotThreadSafe);
        // INVARIANT: `list` is locked, and `links` is on it.
        f(Visit { links, list, brand }).status
    };
    // SAFETY: A `Next` is made of a `Visit`, or of the `Unlocked` that it was consumed for: it says what was done.
    unsafe { LRU.walk(nid, memcg, nr_to_walk, visit) };
}

/// Ties what a visit ends with to that visit, neither longer nor shorter, and to its task.
struct Brand<'v>(PhantomData<fn(&'v ()) -> &'v ()>, NotThreadSafe);

/// An entry that a walk has come to. The list's lock is held: it can't be freed.
///
/// # Invariants
///
/// `list` is locked by us, `links` are those of an entry, from [`raw_links`], and on it.
#[must_use = "a walk wants to know what to do next"]
pub(crate) struct Visit<'v> {
    links: *mut bindings::list_head,
    list: *mut bindings::list_lru_one,
    brand: Brand<'v>,
}

/// What a walk is to do after the visit `'v`. Whether that one has dropped the lock is part of it.
///
/// `LRU_REMOVED` isn't among the answers: an entry leaves the list when it is freed.
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
        // SAFETY: By the type invariant it is on the list. Before it is freed it is taken off,
        // which takes the lock that we hold; others have shared references at most.
        unsafe { &*entry_of(self.links) }
    }

    /// Moves the entry to the end of the list, and goes on to the next.
    pub(crate) fn rotate(self) -> Next<'v> {
        Next::new(bindings::lru_status::LRU_ROTATE, self.brand)
    }

    /// Moves the entry to the end of the list and drops the lock. The entry may be gone then.
    pub(crate) fn rotate_and_unlock(self) -> Unlocked<'v> {
        // SAFETY: By the type invariant the list is locked by us and the entry on it.
        unsafe {
            bindings::list_move_tail(self.links, &raw mut (*self.list).list);
            bindings::spin_unlock(&raw mut (*self.list).lock);
        }
        Unlocked(self.brand)
    }
}

/// Proof that the visit `'v` has dropped the lock. It isn't to be taken again: C starts anew.
#[must_use = "a walk wants to know what to do next"]
pub(crate) struct Unlocked<'v>(Brand<'v>);

impl<'v> Unlocked<'v> {
    /// Goes on with what is at the head of the list then.
    pub(crate) fn restart(self) -> Next<'v> {
        Next::new(bindings::lru_status::LRU_RETRY, self.0)
    }

    /// Ends the walk.
    pub(crate) fn stop(self) -> Next<'v> {
        Next::new(bindings::lru_status::LRU_STOP, self.0)
    }
}
