// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of entries, and walks over them.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::{flags::GFP_KERNEL, NumaNode},
    bindings::lru_status,
    mm::{
        list_lru::{Batch, Charged, Item, Links, ListLru, Next, Prepared, Unlocked, Visit},
        memalloc::{self, Memalloc},
        memcontrol::{ObjCgroup, ZswapCharged, ZswapObject},
        swap_slots::{Leaves, Listed, Published, Slots, Unpublished},
        zsmalloc::{Object, Pool},
    },
    prelude::*,
    slab::{self, ObjectRef},
    sync::aref::ARef,
};

// "The entry can be freed as soon as we drop the LRU lock", says shrink_memcg_cb(), but it once
// accessed the entry after that (docs/races.md: 7).
#[cfg(any(control, entry_after_lru_unlock))]
pub mod entry_after_lru_unlock {
    use super::*;

    pub fn attack<'v, T: Item>(visit: Visit<'v, T>, look: impl FnOnce(&T)) -> Unlocked<'v> {
        let object = visit.object();
        #[cfg(control)]
        look(object);
        let unlocked = visit.rotate_and_unlock(); //~[entry_after_lru_unlock] E0505
        #[cfg(entry_after_lru_unlock)]
        look(object);
        unlocked
    }

    pub fn count<T: Item>(nid: NumaNode) -> usize {
        ListLru::<T>::count(nid, None)
    }
}

// An item that the walk has visited is kept beyond the list's lock.
#[cfg(any(control, visit_kept))]
pub mod visit_kept {
    use super::*;

    pub fn attack<T: Item>(nid: NumaNode, is: fn(&T) -> bool) -> bool {
        let mut kept = None;
        ListLru::<T>::walk(nid, None, &mut 1, |visit| {
            let object = visit.object(); //~[visit_kept] E0597
            #[cfg(visit_kept)]
            kept.replace(object); //~[visit_kept] E0521
            #[cfg(control)]
            kept.replace(is(object));
            visit.rotate() //~[visit_kept] E0505
        });
        #[cfg(visit_kept)]
        let kept = kept.map(is);
        kept.unwrap_or(false)
    }
}

// LRU_SKIP, or another status that means "the lock is still held", after it was dropped: the walk
// continues from an item that may be freed (docs/races.md: 9).
#[cfg(any(control, visit_after_unlock))]
pub mod visit_after_unlock {
    use super::*;

    pub fn attack<T: Item>(visit: Visit<'_, T>) -> Next<'_> {
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

    pub fn attack<A: Item, B: Item>(nid: NumaNode) {
        let (mut one, mut two) = (1, 1);
        ListLru::<A>::walk(nid, None, &mut one, |visit| {
            #[cfg(next_of_other_visit)]
            let mut kept = None::<Next<'_>>;
            ListLru::<B>::walk(nid, None, &mut two, |other| {
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

    pub fn attack<T: Item>(nid: NumaNode) {
        ListLru::<T>::walk(nid, None, &mut 1, |visit| {
            #[cfg(visit_without_end)]
            return drop(visit); //~[visit_without_end] E0308
            visit.rotate()
        });
    }
}

// The list's lock is dropped with the item left at the list's head: the walk, which
// restarts there, visits the item forever.
#[cfg(any(control, unlock_in_place))]
pub mod unlock_in_place {
    use super::*;

    pub fn attack<T: Item>(visit: Visit<'_, T>) -> Unlocked<'_> {
        #[cfg(unlock_in_place)]
        return visit.unlock(); //~[unlock_in_place] E0599
        visit.rotate_and_unlock()
    }
}

// A callback that has dropped the list's lock retakes it, and the walk continues over a list that
// has changed (CVE-2025-71181 was a wrong relock).
#[cfg(any(control, lru_lock_again))]
pub mod lru_lock_again {
    use super::*;

    pub fn attack(unlocked: Unlocked<'_>) -> Next<'_> {
        #[cfg(lru_lock_again)]
        return unlocked.rotate(); //~[lru_lock_again] E0599
        unlocked.restart()
    }
}

// LRU_REMOVED for an item that wasn't isolated, or was isolated twice: list_lru's count is off by
// one. A walk can't remove an item from its list; dropping the item does.
#[cfg(any(control, removed_not_isolated))]
pub mod removed_not_isolated {
    use super::*;

    pub fn attack<T: Item>(visit: Visit<'_, T>) -> (Next<'_>, lru_status) {
        let removed = lru_status::LRU_REMOVED;
        #[cfg(removed_not_isolated)]
        return (Next::new(removed), removed); //~[removed_not_isolated] E0624
        #[cfg(removed_not_isolated)]
        visit.isolate(); //~[removed_not_isolated] E0599
        (visit.rotate(), removed)
    }
}

// list_lru_add() for a cgroup without lists fails, or adds to a list where list_lru_del() doesn't
// look: memcg_list_lru_alloc() has to come first.
#[cfg(any(control, add_unprepared))]
pub mod add_unprepared {
    use super::*;

    pub fn attack<'a, T: Item<Charged = ZswapCharged<O>>, U: Item, O: ZswapObject>(
        (one, two, three): (&mut Batch<T>, &mut Batch<T>, &'a mut Batch<T>),
        (prepared, others): (&Prepared<'a, T>, &Prepared<'a, U>),
        memalloc: &Memalloc,
    ) -> Charged<'a, T> {
        #[cfg(add_unprepared)]
        one.charge(memalloc); //~[add_unprepared] E0061
        #[cfg(add_unprepared)]
        two.charge(others, memalloc); //~[add_unprepared] E0308
        three.charge(prepared, memalloc)
    }
}

// A cgroup's lists are prepared, the cgroup is freed, and then the lists are used: to charge
// objects, or to publish them.
#[cfg(any(control, prepared_past_group))]
pub mod prepared_past_group {
    use super::*;

    type Stored<'f, T> = Result<(usize, Published<'f, T>)>;

    pub fn charge<T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
        mut batch: Batch<T>,
        objcg: ARef<ObjCgroup>,
    ) -> Result {
        let prepared = ListLru::<T>::prepare(Some(&objcg), GFP_KERNEL)?;
        #[cfg(prepared_past_group)]
        drop(objcg); //~[prepared_past_group] E0505
        memalloc::scope(|memalloc| drop(batch.charge(&prepared, memalloc)));
        Ok(())
    }

    pub fn publish<'f, T: Listed<Charged = ZswapCharged<O>>, O: ZswapObject>(
        slots: Slots<'f, 'f, T>,
        mut batch: Batch<T>,
        leaves: &'static Leaves<T>,
        objcg: ARef<ObjCgroup>,
    ) -> Stored<'f, T> {
        let prepared = match ListLru::<T>::prepare(Some(&objcg), GFP_KERNEL) {
            Ok(prepared) => prepared,
            Err(error) => return Err(error),
        };
        let charged = memalloc::scope(|memalloc| batch.charge(&prepared, memalloc));
        #[cfg(prepared_past_group)]
        drop(objcg); //~[prepared_past_group] E0505
        slots
            .publish(charged, leaves, GFP_KERNEL)
            .map_err(|(_, error)| error)
    }
}

// An item that isn't in slab memory is added to a list: which list follows from its page, but
// memory from vmalloc() or the stack isn't in a slab's page.
#[cfg(any(control, add_from_anywhere))]
pub mod add_from_anywhere {
    use super::*;

    use kernel::slab::Object;

    pub fn attack<T: Item>(batch: &mut Batch<T>, one: T, two: ObjectRef<'_, T>, other: Object<T>) {
        #[cfg(add_from_anywhere)]
        batch.push(one); //~[add_from_anywhere] E0308
        #[cfg(add_from_anywhere)]
        batch.push(two); //~[add_from_anywhere] E0308
        batch.push(other);
    }
}

// The links aren't embedded in the item: the walk would compute a wrong item address.
#[cfg(any(control, links_elsewhere))]
pub mod links_elsewhere {
    use super::*;

    pub struct Owner {
        zs: Pool,
    }
    kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } }

    pub struct Item {
        #[cfg(control)]
        lru: Links,
        #[cfg(links_elsewhere)]
        lru: kernel::alloc::KBox<Links>,
        object: ZswapCharged<Object<Owner>>,
    }
    static LRU: ListLru<Item> = ListLru::new();

    kernel::impl_list_lru_item! {
    //~[links_elsewhere]^ E0308
    //~[links_elsewhere]^^ E0308
        impl Item for Item {
            links: self.lru, charged: self.object: ZswapCharged<Object<Owner>>, lru: LRU
        }
    }
}

// Two types, one a subtype of the other, have different lists: an object on the first type's list,
// dropped as the second type, would be removed from the wrong list, and its memory freed while on
// the right one. Nor does preparing the lists of one type prepare those of the other.
#[cfg(any(control, list_of_a_subtype))]
#[allow(coherence_leak_check)]
pub mod list_of_a_subtype {
    use super::*;

    pub struct Owner {
        zs: Pool,
    }
    kernel::impl_has_zs_pool! { impl HasPool for Owner { self.zs } }

    type Bytes = ZswapCharged<Object<Owner>>;
    pub struct Item<F> {
        links: Links,
        object: Bytes,
        _f: F,
    }
    type First = Item<for<'a> fn(&'a u8)>;
    type Second = Item<fn(&'static u8)>;

    static FIRST: ListLru<First> = ListLru::new();
    static SECOND: ListLru<Second> = ListLru::new();

    kernel::impl_list_lru_item! {
        impl Item for First { links: self.links, charged: self.object: Bytes, lru: FIRST }
    }
    kernel::impl_list_lru_item! {
        impl Item for Second { links: self.links, charged: self.object: Bytes, lru: SECOND }
    }

    #[cfg(control)]
    type To = First;
    #[cfg(list_of_a_subtype)]
    type To = Second;

    pub fn prepared<'p>(
        batch: &'p mut Batch<First>,
        prepared: Prepared<'p, To>,
        memalloc: &Memalloc,
    ) -> Charged<'p, First> {
        batch.charge(&prepared, memalloc) //~[list_of_a_subtype] E0308
    }

    pub fn object(object: slab::Object<First>) -> slab::Object<To> {
        object //~[list_of_a_subtype] E0308
    }

    pub fn pushed(batch: &mut Batch<To>, object: slab::Object<First>) {
        batch.push(object); //~[list_of_a_subtype] E0308
    }

    pub fn batch(batch: Batch<First>) -> Batch<To> {
        batch //~[list_of_a_subtype] E0308
    }

    pub fn batch_back(batch: Batch<To>) -> Batch<First> {
        batch //~[list_of_a_subtype] E0308
    }

    pub fn charged<'p>(charged: Charged<'p, First>) -> Charged<'p, To> {
        charged //~[list_of_a_subtype] E0308
    }

    pub fn charged_back<'p>(charged: Charged<'p, To>) -> Charged<'p, First> {
        charged //~[list_of_a_subtype] E0308
    }
}
