// SPDX-License-Identifier: GPL-2.0-or-later

//! The entries in LRU order: one list per NUMA node and memory cgroup.
//!
//! The list of an entry follows from the node of its memory and its objcg, neither of which changes. The cgroup of the
//! objcg does, when it is reparented: see `for_each`. An entry is removed from its list before it is freed.
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
    bindings, container_of,
    error::to_result,
    mm::memcontrol::{
        MemCgroup,
        ObjCgroup, //
    },
    prelude::*,
    shrinker::Shrinker,
    slab,
    sync::{
        rcu,
        SetOnce, //
    },
    types::{
        NotThreadSafe,
        Opaque, //
    },
};

/// A `struct list_lru`.
struct ListLru(Opaque<bindings::list_lru>);

// SAFETY: A `struct list_lru` does its own locking, and is bound to no thread.
unsafe impl Sync for ListLru {}

/// The lists: C's `zswap_list_lru`. They contain the [`Links`] of entries, each on the list of its memory's node and of
/// the cgroup that it is charged to. Accessed by the task that is in [`init`], and once they are [`READY`].
static LRU: ListLru = ListLru(Opaque::zeroed());

/// Populated when [`LRU`] is initialised, for memory cgroups. It is never destroyed.
static READY: SetOnce<()> = SetOnce::new();

/// Initialises the lists, for `shrinker`: reclaim calls it for a cgroup once an entry is on the cgroup's list. May
/// sleep.
///
/// Fails with `EBUSY` if it was called before, and with `ENOMEM`. Mirrors `list_lru_init_memcg()`.
pub(crate) fn init(shrinker: &Shrinker) -> Result {
    static CLAIMED: SetOnce<()> = SetOnce::new();
    if !CLAIMED.populate(()) {
        return Err(EBUSY);
    }
    // SAFETY: This task alone accesses `LRU`, which is zeroed, as C requires, and doesn't move. C stores the shrinker's
    // id and no pointer to it.
    to_result(unsafe { bindings::list_lru_init_memcg(LRU.0.get(), shrinker.as_raw()) })?;
    READY.populate(());
    Ok(())
}

/// The lists, for C; `None` unless they are initialised.
fn ready() -> Option<*mut bindings::list_lru> {
    READY.as_ref().map(|()| LRU.0.get())
}

/// The links of an entry, as a pointer that may be used to access the whole entry.
fn links_of(entry: &Entry) -> *mut bindings::list_head {
    (&raw const entry.links).cast_mut().cast()
}

/// The entry that contains `links`.
///
/// # Safety
///
/// `links` must be those of an entry.
pub(super) unsafe fn entry_of(links: *mut bindings::list_head) -> *mut Entry {
    // SAFETY: The caller guarantees that `links` is that field of an entry.
    unsafe { container_of!(links.cast::<Links>(), Entry, links) }
}

/// Proof that entries that are charged to `objcg` can be put on their lists.
///
/// # Invariants
///
/// [`LRU`] is initialised. The cgroup of `objcg`, if any, and its ancestors have lists in it.
#[derive(Clone, Copy)]
pub(crate) struct Lists<'a> {
    objcg: Option<&'a ObjCgroup>,
}

impl<'a> Lists<'a> {
    /// The objcg to which the entries must be charged.
    pub(crate) fn objcg(&self) -> Option<&'a ObjCgroup> {
        self.objcg
    }
}

/// Allocates the lists of entries that are charged to `objcg`. May sleep.
///
/// Fails with `ENODEV` before zswap is set up, and with `ENOMEM`. Mirrors `memcg_list_lru_alloc()`.
pub(crate) fn prepare(objcg: Option<&ObjCgroup>, gfp: Flags) -> Result<Lists<'_>> {
    let lru = ready().ok_or(ENODEV)?;
    if let Some(memcg) = objcg.and_then(ObjCgroup::memcg) {
        let memcg = MemCgroup::raw(Some(&memcg));
        // SAFETY: `lru` is initialised, `memcg` is alive.
        to_result(unsafe { bindings::list_lru_alloc_memcg(memcg, lru, gfp.as_raw()) })?;
    }
    // INVARIANT: `LRU` is initialised, and the cgroup and its ancestors have lists.
    Ok(Lists { objcg })
}

/// Calls `f` for each entry, in order, with its list, which is locked, and that list's node and cgroup. Takes the lock
/// once for consecutive entries on the same list. Never sleeps.
///
/// The cgroup is that which the entry's objcg refers to now or, if that is dying, an ancestor: C moves the entries of a
/// dying cgroup to its parent's list, and gives the cgroup no list any more. So an entry is removed from the list that
/// it was added to, or that has taken it over.
///
/// # Safety
///
/// The entries must be in memory of a slab cache. [`LRU`] must be initialised, and the cgroups of the entries, or the
/// ancestors that have taken over their lists, must have lists.
#[inline(always)]
unsafe fn for_each<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    f: impl Fn(&Entry, *mut bindings::list_lru_one, c_int, *mut bindings::mem_cgroup),
) {
    let mut entries = entries.map(|entry| {
        // SAFETY: The caller guarantees that the entry is in memory of a slab cache.
        let nid = unsafe { slab::nid_of(entry) };
        let objcg = entry.objcg().map_or(core::ptr::null(), core::ptr::from_ref);
        (entry, (nid, objcg))
    });
    let mut next = entries.next();
    while let Some((first, run)) = next {
        let (nid, rcu) = (run.0.as_raw(), rcu::read_lock());
        let mut memcg = first
            .objcg()
            .map_or(core::ptr::null_mut(), |objcg| objcg.memcg_rcu(&rcu));
        // SAFETY: The caller guarantees that `LRU` is initialised, and that the cgroup, or the ancestor whose list C
        // locks in its place, has lists. RCU pins the cgroup, and the one to which C updates `memcg`.
        let list = unsafe { bindings::list_lru_lock(LRU.0.get(), nid, &mut memcg) };
        while let Some((entry, _)) = next.filter(|(_, of)| *of == run) {
            f(entry, list, nid, memcg);
            next = entries.next();
        }
        // SAFETY: The lock was taken above.
        unsafe { bindings::list_lru_unlock(list) };
    }
}

/// Adds entries to the tails of their lists, in order. From here on walks find them. Never sleeps.
///
/// Mirrors `zswap_lru_add()` of each entry.
///
/// # Safety
///
/// The entries must be in memory of a slab cache, on no list, and charged to the objcg of the [`Lists`]. They must
/// not be freed until this returns, and be freed by the owner of their slots, which removes them from their lists.
pub(super) unsafe fn add_each<'a>(entries: impl Iterator<Item = &'a Entry>, _lists: Lists<'_>) {
    // SAFETY: The caller guarantees that the entries are in memory of a slab cache, and on no list. By the invariant of
    // `Lists` `LRU` is initialised, and their cgroup and its ancestors have lists. The list passed is that of the
    // entry's node and cgroup, and locked. The links are initialised first, as C requires.
    unsafe {
        for_each(entries, |entry, list, nid, memcg| {
            let links = links_of(entry);
            bindings::INIT_LIST_HEAD(links);
            bindings::__list_lru_add(LRU.0.get(), list, links, nid, memcg);
        });
    }
}

/// Removes entries from their lists, if they are on one, and zeroes their links. Takes the lists' locks, and thereby
/// waits for walks that access the entries. Never sleeps.
///
/// Mirrors `zswap_lru_del()` of each entry.
///
/// # Safety
///
/// The entries must be in memory of a slab cache. The caller must own them, or have a witness for their slots.
pub(super) unsafe fn del_each<'a>(entries: impl Iterator<Item = &'a Entry>) {
    // Only the task that publishes an entry, which has the witness for its slot, adds it to a list, and only once. So
    // links that aren't in use stay unused, and others are those of an entry on its list, by the invariant of `Links`.
    let listed = entries.filter(|entry| entry.links.are_in_use());
    // SAFETY: The caller guarantees that the entries are in memory of a slab cache. They are on lists, so `LRU` is
    // initialised, and their cgroups, or the ancestors that have taken over, have lists. The list passed is that which
    // the entry is on, and locked. The caller owns the entry, or has a witness for its slot: no other task removes it.
    unsafe {
        for_each(listed, |entry, list, nid, _| {
            let links = links_of(entry);
            bindings::__list_lru_del(LRU.0.get(), list, links, nid);
            links.write_bytes(0, 1);
        });
    }
}

/// Removes an entry from its list, like [`del_each`].
pub(super) fn del(entry: &slab::Box<Entry>) {
    // SAFETY: The caller owns the entry, which is in memory of a slab cache, as the box says.
    unsafe { del_each(core::iter::once(&**entry)) };
}

/// The number of entries on the list of a node and cgroup; 0 before zswap is set up. Takes no lock.
///
/// Mirrors `list_lru_count_one()`.
pub(crate) fn count(nid: NumaNode, memcg: Option<&MemCgroup>) -> usize {
    match ready() {
        // SAFETY: `lru` is initialised, and has a list for each possible node. By the invariant of `NumaNode` `nid` is
        // one; `memcg` is alive.
        Some(lru) if nid != NumaNode::NO_NODE => unsafe {
            bindings::list_lru_count_one(lru, nid.as_raw(), MemCgroup::raw(memcg))
        },
        _ => 0,
    }
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
    /// # Safety
    ///
    /// Only for `list_lru_walk_one()` as called by [`walk`], with its `f`.
    unsafe extern "C" fn visit<F: for<'v> FnMut(Visit<'v>) -> Next<'v>>(
        links: *mut bindings::list_head,
        list: *mut bindings::list_lru_one,
        f: *mut c_void,
    ) -> bindings::lru_status {
        let brand = Brand(PhantomData, NotThreadSafe);
        // INVARIANT: C has locked `list`, which has the entry with these links.
        let visit = Visit { links, list, brand };
        // SAFETY: `f` is the closure that `walk` lends to C for the call. C passes it to this function only.
        (unsafe { (*f.cast::<F>())(visit) }).status
    }
    let Some(lru) = ready().filter(|_| nid != NumaNode::NO_NODE) else {
        return;
    };
    // SAFETY: `lru` is initialised, and has a list for the node; `memcg` is alive. C passes to `visit` the closure `f`,
    // and the links of entries on the list, and may decrement `nr_to_walk`, which is borrowed exclusively. A `Next` is
    // created from the `Visit`, or from the `Unlocked` that dropping the lock returned, with the matching status.
    unsafe {
        let (memcg, f) = (MemCgroup::raw(memcg), (&raw mut f).cast());
        bindings::list_lru_walk_one(lru, nid.as_raw(), memcg, Some(visit::<F>), f, nr_to_walk);
    }
}

/// Ties the result of a visit to exactly that visit, and to its task.
struct Brand<'v>(PhantomData<fn(&'v ()) -> &'v ()>, NotThreadSafe);

/// An entry that a walk visits. The list's lock is held, so that the entry can't be freed.
///
/// # Invariants
///
/// This task holds the lock of `list`. `links` are those of an entry on that list, as a pointer that may be used to
/// access the whole entry.
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

#[cfg(CONFIG_ZSWAP_RUST_KUNIT_TEST)]
#[kunit_tests(zswap_lru)]
mod tests {
    use super::{
        super::{
            object::Object,
            pool_table::tests::{
                algorithms,
                create, //
            },
        },
        *, //
    };
    use kernel::{
        mm::swapops::SwapEntry,
        shrinker::{
            Request,
            Scanned,
            Shrink, //
        },
    };

    #[test]
    fn lists_are_initialised_once() -> Result {
        struct Pressure;

        impl Shrink for Pressure {
            fn count(_: &Request<'_>) -> usize {
                0
            }

            fn scan(_: &Request<'_>, _: &mut usize) -> Scanned {
                Scanned::Refused
            }
        }

        let nid = NumaNode::new(0)?;
        let mut nr_to_walk = 1;
        if ready().is_none() {
            // zswap isn't set up.
            assert_eq!(prepare(None, GFP_KERNEL).err(), Some(ENODEV));
            assert_eq!(count(nid, None), 0);
        } else {
            let shrinker = Shrinker::new::<Pressure>(c"zswap_lru_test")?;
            assert_eq!(init(&shrinker).err(), Some(EBUSY));
        }
        assert_eq!(count(NumaNode::NO_NODE, None), 0);
        walk(NumaNode::NO_NODE, None, &mut nr_to_walk, |visit| {
            visit.rotate()
        });
        assert_eq!(nr_to_walk, 1);
        Ok(())
    }

    #[test]
    fn entries_are_walked_in_order() -> Result {
        // Never freed, so that the test can be run again.
        static CACHE: SetOnce<slab::Cache<Entry>> = SetOnce::new();

        // zswap may not be set up.
        let Ok(prepared) = prepare(None, GFP_KERNEL) else {
            return Ok(());
        };
        if CACHE.as_ref().is_none() {
            CACHE.populate(slab::Cache::new(c"zswap_lru_test")?);
        }
        let cache = CACHE.as_ref().ok_or(ENOMEM)?;
        let [algorithm, _] = algorithms()?;
        let pool = create(&algorithm)?;
        let new = |slot| -> Result<_> {
            let (slot, nid) = (SwapEntry::unpack(slot), NumaNode::new(0)?);
            let object = Object::from_bytes(pool.clone(), b"bytes", slot, GFP_KERNEL, nid)?;
            Ok(cache
                .alloc(GFP_KERNEL, nid)?
                .write(Entry::new(object, None)))
        };
        let entries = [new(1)?, new(2)?];
        // Both must be on one list, which has no others: if node 0 has no memory, they may lie on different nodes.
        let nid = entries[0].nid();
        if entries[1].nid() != nid || count(nid, None) != 0 {
            return Ok(());
        }
        // SAFETY: The entries are in memory of a slab cache, on no list, and charged to no objcg. They are freed below,
        // and are removed from the list before.
        unsafe { add_each(entries.iter().map(|entry| &**entry), prepared) };
        assert_eq!(count(nid, None), 2);

        // Visits at most 3 entries, beginning with the least recently used one.
        let (mut nr_to_walk, mut nr) = (3, 0);
        walk(nid, None, &mut nr_to_walk, |visit| {
            assert!(core::ptr::eq(visit.entry(), &*entries[nr % 2]));
            nr += 1;
            visit.rotate()
        });
        assert!(nr >= 2);
        assert_eq!(nr_to_walk + nr, 3);

        for entry in &entries {
            del(entry);
            // It is on no list.
            del(entry);
        }
        assert_eq!(count(nid, None), 0);
        Ok(())
    }
}
