// SPDX-License-Identifier: GPL-2.0-or-later
// The LRU lists of entries, and walks over them: what policy files could do with them.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    alloc::{flags::GFP_KERNEL, NumaNode},
    bindings::lru_status,
    mm::memcontrol::ObjCgroup,
    prelude::*,
    shrinker::Shrinker,
    slab,
    sync::aref::ARef,
    types::Opaque,
};
use zswap_core::{
    entry::Entry,
    free::StoredEntry,
    index::Leaf,
    lru::{self, Lists, Next, Unlocked, Visit},
    store::Store,
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// "The entry can be freed as soon as we drop the LRU lock", says shrink_memcg_cb(), but it once
// accessed the entry after that (docs/races.md: 7).
#[cfg(any(control, entry_after_lru_unlock))]
pub mod entry_after_lru_unlock {
    use super::*;

    pub(crate) fn attack<'v>(visit: Visit<'v>, look: impl FnOnce(&Entry)) -> Unlocked<'v> {
        let entry = visit.entry();
        #[cfg(control)]
        look(entry);
        let unlocked = visit.rotate_and_unlock(); //~[entry_after_lru_unlock] E0505
        #[cfg(entry_after_lru_unlock)]
        look(entry);
        unlocked
    }
}

// An entry that the walk has visited is kept beyond the list's lock.
#[cfg(any(control, visit_kept))]
pub mod visit_kept {
    use super::*;

    pub(crate) fn attack(nid: NumaNode, is: fn(&Entry) -> bool) -> bool {
        let mut kept = None;
        lru::walk(nid, None, &mut 1, |visit| {
            let entry = visit.entry(); //~[visit_kept] E0597
            #[cfg(visit_kept)]
            kept.replace(entry); //~[visit_kept] E0521
            #[cfg(control)]
            kept.replace(is(entry));
            visit.rotate() //~[visit_kept] E0505
        });
        #[cfg(visit_kept)]
        let kept = kept.map(is);
        kept.unwrap_or(false)
    }
}

// LRU_SKIP, or another status that means "the lock is still held", after it was dropped: the walk
// continues from an entry that may be freed (docs/races.md: 9).
#[cfg(any(control, visit_after_unlock))]
pub mod visit_after_unlock {
    use super::*;

    pub(crate) fn attack(visit: Visit<'_>) -> Next<'_> {
        let unlocked = visit.rotate_and_unlock();
        #[cfg(visit_after_unlock)]
        return visit.rotate(); //~[visit_after_unlock] E0382
        unlocked.restart()
    }
}

// One visit's outcome is returned for another: a visit that has dropped the lock ends
// with the outcome of one that hasn't.
#[cfg(any(control, next_of_other_visit))]
pub mod next_of_other_visit {
    use super::*;

    pub(crate) fn attack(nid: NumaNode) {
        let (mut one, mut two) = (1, 1);
        lru::walk(nid, None, &mut one, |visit| {
            #[cfg(next_of_other_visit)]
            let mut kept = None::<Next<'_>>;
            lru::walk(nid, None, &mut two, |other| {
                let next = other.rotate(); //~[next_of_other_visit] E0521
                #[cfg(next_of_other_visit)]
                kept.replace(next);
                #[cfg(next_of_other_visit)]
                loop {}
                #[cfg(control)]
                next
            });
            #[cfg(next_of_other_visit)]
            return kept.unwrap_or(visit.rotate()); //~[next_of_other_visit] ERROR: lifetime may not live long enough
            visit.rotate()
        });
    }
}

// A callback returns no status: C would use whatever is in the register.
#[cfg(any(control, visit_without_end))]
pub mod visit_without_end {
    use super::*;

    pub(crate) fn attack(nid: NumaNode) {
        lru::walk(nid, None, &mut 1, |visit| {
            #[cfg(visit_without_end)]
            return drop(visit); //~[visit_without_end] E0308
            visit.rotate()
        });
    }
}

// The list's lock is dropped with the entry left at the list's head: the walk, which
// restarts there, visits the entry forever.
#[cfg(any(control, unlock_in_place))]
pub mod unlock_in_place {
    use super::*;

    pub(crate) fn attack(visit: Visit<'_>) -> Unlocked<'_> {
        #[cfg(unlock_in_place)]
        return visit.unlock(); //~[unlock_in_place] E0599
        visit.rotate_and_unlock()
    }
}

// A callback that has dropped the list's lock retakes it, and the walk continues over a list that
// has changed (CVE-2025-71181 was a wrong relock). Or it says that it was dropped when it wasn't.
#[cfg(any(control, lru_lock_again))]
pub mod lru_lock_again {
    use super::*;

    pub(crate) fn attack<'v>(visit: Visit<'v>, unlocked: Unlocked<'v>) -> Next<'v> {
        #[cfg(lru_lock_again)]
        return unlocked.rotate(); //~[lru_lock_again] E0599
        #[cfg(lru_lock_again)]
        return visit.restart(); //~[lru_lock_again] E0599
        drop(visit);
        unlocked.restart()
    }
}

// LRU_REMOVED for an entry that wasn't isolated, or was isolated twice: list_lru's count is off by
// one. A walk can't remove an entry from its list; freeing the entry does.
#[cfg(any(control, removed_not_isolated))]
pub mod removed_not_isolated {
    use super::*;

    pub(crate) fn attack(visit: Visit<'_>) -> (Next<'_>, lru_status) {
        let removed = lru_status::LRU_REMOVED;
        #[cfg(removed_not_isolated)]
        return (Next::new(removed, visit.brand), removed); //~[removed_not_isolated] E0624
                                                           //~[removed_not_isolated]^ E0616
        #[cfg(removed_not_isolated)]
        visit.isolate(); //~[removed_not_isolated] E0599
        (visit.rotate(), removed)
    }
}

// A visit is kept for another task, which doesn't hold the list's lock.
#[cfg(any(control, visit_sent))]
pub mod visit_sent {
    use super::*;

    #[cfg(visit_sent)]
    fn take<T: Send>(_: T) {}
    #[cfg(control)]
    fn take<T>(_: T) {}

    pub(crate) fn attack<'v>(visit: Visit<'v>, next: Next<'v>, unlocked: Unlocked<'v>) {
        take(visit); //~[visit_sent] E0277
                     //~[visit_sent]^ E0277
                     //~[visit_sent]^^ E0277
        take(next); //~[visit_sent] E0277
        take(unlocked); //~[visit_sent] E0277
    }
}

// An entry is put on a list or taken off it by the policy: twice, or one that has no list.
#[cfg(any(control, lists_of_core))]
pub mod lists_of_core {
    use super::*;

    pub(crate) fn attack(entry: &Entry, memory: &slab::Box<Entry>, lists: Lists<'_>) -> usize {
        let _ = (entry, lists);
        #[cfg(lists_of_core)]
        lru::del(memory); //~[lists_of_core] E0603
        #[cfg(lists_of_core)]
        lru::add_each(core::iter::once(entry), lists); //~[lists_of_core] E0603
        #[cfg(lists_of_core)]
        let _ = &entry.links; //~[lists_of_core] E0616
        #[cfg(lists_of_core)]
        lru::del_each(core::iter::once(entry)); //~[lists_of_core] E0603
        #[cfg(lists_of_core)]
        let _ = &lru::LRU; //~[lists_of_core] E0603
        lru::count(memory.nid(), None)
    }
}

// The lists are used by C after they are gone: there are no others than those that stay.
#[cfg(any(control, lists_that_go))]
pub mod lists_that_go {
    use super::*;

    pub(crate) fn attack(shrinker: &Shrinker) -> Result {
        #[cfg(lists_that_go)]
        let _ = lru::ListLru(Opaque::zeroed()); //~[lists_that_go] E0603
        lru::init(shrinker)
    }
}

// list_lru_add() for a cgroup without lists fails, or adds to a list where list_lru_del() doesn't
// look: memcg_list_lru_alloc() has to come first.
#[cfg(any(control, add_unprepared))]
pub mod add_unprepared {
    use super::*;

    pub(crate) fn attack(
        store: &mut Store<'_, '_>,
        memory: slab::UninitBoxes<Entry>,
        (lists, objcg): (Lists<'_>, Option<&ObjCgroup>),
        leaves: &'static slab::Cache<Leaf>,
    ) -> Result {
        let _ = objcg;
        #[cfg(add_unprepared)]
        return store.fill(memory, objcg, leaves, |_| Ok(())); //~[add_unprepared] E0308
        store.fill(memory, lists, leaves, |_| Ok(()))
    }
}

// A struct literal forges what says that a cgroup has lists.
#[cfg(any(control, lists_of_its_fields))]
pub mod lists_of_its_fields {
    use super::*;

    pub(crate) fn attack<'a>(
        objcg: Option<&'a ObjCgroup>,
        lists: Lists<'a>,
    ) -> Option<&'a ObjCgroup> {
        #[cfg(lists_of_its_fields)]
        let lists = Lists { objcg }; //~[lists_of_its_fields] E0451
        let _ = objcg;
        lists.objcg()
    }
}

// A cgroup's lists are prepared, the cgroup is freed, and then the lists are used: by the store that gets them.
#[cfg(any(control, lists_past_group))]
pub mod lists_past_group {
    use super::*;

    pub(crate) fn attack(
        store: &mut Store<'_, '_>,
        memory: slab::UninitBoxes<Entry>,
        objcg: ARef<ObjCgroup>,
        leaves: &'static slab::Cache<Leaf>,
    ) -> Result {
        let lists = lru::prepare(Some(&objcg), GFP_KERNEL)?;
        #[cfg(lists_past_group)]
        drop(objcg); //~[lists_past_group] E0505
        store.fill(memory, lists, leaves, |_| Ok(()))
    }

    pub(crate) fn local(objcg: &ARef<ObjCgroup>) -> Result<Lists<'_>> {
        #[cfg(lists_past_group)]
        let objcg = &objcg.clone();
        lru::prepare(Some(objcg), GFP_KERNEL) //~[lists_past_group] E0515
    }
}

// An entry that isn't in slab memory is added to a list: which list follows from its page, but
// memory from vmalloc() or the stack isn't in a slab's page.
#[cfg(any(control, add_from_anywhere))]
pub mod add_from_anywhere {
    use super::*;

    pub(crate) fn attack(
        store: &mut Store<'_, '_>,
        (one, two): (KBox<Entry>, KBox<Entry>),
        (memory, lists): (slab::UninitBoxes<Entry>, Lists<'_>),
        leaves: &'static slab::Cache<Leaf>,
    ) -> Result {
        let _ = (&one, &two);
        #[cfg(add_from_anywhere)]
        store.fill(one, lists, leaves, |_| Ok::<(), Error>(()))?; //~[add_from_anywhere] E0308
        #[cfg(add_from_anywhere)]
        drop(StoredEntry(core::mem::ManuallyDrop::new(two))); //~[add_from_anywhere] E0423
        store.fill(memory, lists, leaves, |_| Ok(()))
    }
}
