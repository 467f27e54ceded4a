// SPDX-License-Identifier: GPL-2.0-or-later
// Charging the entries of a batch to a cgroup, and what is freed together: what policy files could do with it.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    mm::{
        folio::CachedFolio,
        memalloc::{self, Memalloc},
        memcontrol::ObjCgroup,
    },
    prelude::*,
    slab,
};
use zswap_core::{
    entry::Entry,
    free::{FreeBatch, StoredEntry},
    index::LeafCache,
    lru::Prepared,
    object::Object,
    slots::Slots,
    store_batch::{store, Published, StoreBatch, Unpublished},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

type Stored<'f> = Result<(usize, Published<'f>), (Unpublished<'f>, Error)>;

// Entries are put on a cgroup's list and charged to another cgroup, or to none: they are removed
// from another list, under its lock. Only publishing fills slots, and it charges.
#[cfg(any(control, publish_uncharged))]
pub mod publish_uncharged {
    use super::*;

    pub(crate) fn attack<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'f> {
        #[cfg(publish_uncharged)]
        use zswap_core::index::LeafRef; //~[publish_uncharged] E0603
        let make = |batch: &mut StoreBatch<'f>| {
            #[cfg(publish_uncharged)]
            batch.chain.publish(1, leaves, prepared); //~[publish_uncharged] E0616
            #[cfg(publish_uncharged)]
            batch.publish(prepared, leaves)?; //~[publish_uncharged] E0624
            let _ = batch.slots().len();
            Ok(prepared)
        };
        store(folio, leaves, make, |error| error)
    }
}

// What a charge ends with is changed: the cgroup is uncharged that wasn't charged, or nobody is.
#[cfg(any(control, charge_changed))]
pub mod charge_changed {
    use super::*;

    pub(crate) fn attack(entry: &mut Entry) -> Option<&ObjCgroup> {
        #[cfg(charge_changed)]
        drop(entry.objcg.take()); //~[charge_changed] E0616
        entry.objcg()
    }

    pub(crate) fn stored(entry: &mut StoredEntry) -> usize {
        #[cfg(charge_changed)]
        let entry: &mut Entry = &mut *entry; //~[charge_changed] E0596
        entry.object().len()
    }
}

// Entries are charged or uncharged by themselves: twice, or with other sizes. Counters underflow (docs/races.md: 6).
// Publishing charges, and freeing uncharges.
#[cfg(any(control, charge_by_itself))]
pub mod charge_by_itself {
    use super::*;

    #[cfg(charge_by_itself)]
    use zswap_core::charge::UnchargeBatch; //~[charge_by_itself] E0603

    pub(crate) fn attack(entry: StoredEntry, objcg: &ObjCgroup, memalloc: &Memalloc) {
        #[cfg(charge_by_itself)]
        zswap_core::charge::charge(objcg, [1].into_iter(), memalloc); //~[charge_by_itself] E0603
        let _ = (objcg, memalloc);
        FreeBatch::with(|batch| {
            #[cfg(charge_by_itself)]
            batch.uncharge.end(); //~[charge_by_itself] E0616
            batch.free(entry);
        });
    }
}

// Struct literals forge what says that lists are there, or that all slots are filled.
#[cfg(any(control, published_of_its_fields))]
pub mod published_of_its_fields {
    use super::*;

    pub(crate) fn attack<'f>(
        (published, unpublished): (Published<'f>, Unpublished<'f>),
        slots: Slots<'f, 'f>,
    ) -> (Published<'f>, Unpublished<'f>) {
        #[cfg(published_of_its_fields)]
        let published = Published(slots.folio()); //~[published_of_its_fields] E0423
        #[cfg(published_of_its_fields)]
        let unpublished = Unpublished(slots.folio()); //~[published_of_its_fields] E0423
        let _ = slots;
        (published, unpublished)
    }
}

// list_lru_add() of an entry that is on a list already: an object is in one batch, once, in memory of
// its own, and a batch is published once, after it was lent.
#[cfg(any(control, batched_twice))]
pub mod batched_twice {
    use super::*;

    type Memory = slab::UninitBox<Entry>;

    pub(crate) fn object(
        (one, other): (&mut StoreBatch<'_>, &mut StoreBatch<'_>),
        (memory, more): (Memory, Memory),
        object: Object,
    ) {
        #[cfg(batched_twice)]
        one.push(more, object);
        other.push(memory, object); //~[batched_twice] E0382
    }

    pub(crate) fn memory(
        batch: &mut StoreBatch<'_>,
        memory: Memory,
        (object, more): (Object, Object),
    ) {
        #[cfg(batched_twice)]
        batch.push(memory, more);
        batch.push(memory, object); //~[batched_twice] E0382
    }

    pub(crate) fn published<'f>(
        folio: &'f mut CachedFolio<'f>,
        (memory, object): (Memory, Object),
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'f> {
        let make = |batch: &mut StoreBatch<'f>| {
            batch.push(memory, object);
            #[cfg(batched_twice)]
            batch.publish(prepared, leaves)?; //~[batched_twice] E0624
            Ok(prepared)
        };
        store(folio, leaves, make, |error| error)
    }
}

// A batch is copied, or moved out of what lends it: its entries are published, and freed by the other.
#[cfg(any(control, batch_copied))]
pub mod batch_copied {
    use super::*;

    pub(crate) fn attack(batch: &mut StoreBatch<'_>, object: Object, entry: StoredEntry) -> usize {
        #[cfg(batch_copied)]
        drop(batch.clone()); //~[batch_copied] E0599
        #[cfg(batch_copied)]
        drop(object.clone()); //~[batch_copied] E0599
        #[cfg(batch_copied)]
        drop::<StoredEntry>(entry.clone()); //~[batch_copied] E0599
        drop((object, entry));
        batch.slots().len()
    }

    pub(crate) fn moved(batch: &mut StoreBatch<'_>) -> usize {
        #[cfg(batch_copied)]
        let batch = *batch; //~[batch_copied] E0507
        batch.slots().len()
    }

    #[cfg(batch_copied)]
    pub(crate) fn taken<'f>(batch: &mut StoreBatch<'f>) -> StoreBatch<'f> {
        core::mem::take(batch) //~[batch_copied] E0277
    }
}

// Entries are published, and then their batch takes one that isn't charged, or their slots are cleared
// and reported as stored.
#[cfg(any(control, batch_past_publish))]
pub mod batch_past_publish {
    use super::*;

    pub(crate) fn pushed<'f>(
        folio: &'f mut CachedFolio<'f>,
        (memory, object): (slab::UninitBox<Entry>, Object),
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'f> {
        let mut kept = None;
        let make = |batch: &mut StoreBatch<'f>| {
            #[cfg(control)]
            batch.push(memory, object);
            #[cfg(control)]
            kept.replace(batch.slots().len());
            #[cfg(batch_past_publish)]
            kept.replace(batch); //~[batch_past_publish] E0521
            Ok(prepared)
        };
        let stored = store(folio, leaves, make, |error| error);
        #[cfg(batch_past_publish)]
        kept.map(|batch: &mut StoreBatch<'f>| batch.push(memory, object));
        stored
    }

    pub(crate) fn cleared<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'f> {
        let make = |batch: &mut StoreBatch<'f>| {
            #[cfg(batch_past_publish)]
            batch.slots().clear(); //~[batch_past_publish] E0507
            let _ = batch.slots().len();
            Ok(prepared)
        };
        store(folio, leaves, make, |error| error)
    }

    pub(crate) fn given_up<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'f> {
        let stored = store(folio, leaves, |_| Ok(prepared), |error| error);
        #[cfg(batch_past_publish)]
        if let Err((unpublished, _)) = stored {
            unpublished.slots().clear();
        }
        stored //~[batch_past_publish] E0382
    }
}

// "PF_MEMALLOC context, charging must succeed": elsewhere a failed charge is uncharged.
#[cfg(any(control, charge_outside_reclaim))]
pub mod charge_outside_reclaim {
    use super::*;

    fn charge(_: &Memalloc) {}
    fn sent<T: Send>(_: T) {}

    pub fn attack() {
        #[cfg(charge_outside_reclaim)]
        charge(); //~[charge_outside_reclaim] E0061
        #[cfg(charge_outside_reclaim)]
        let made = &Memalloc(kernel::types::NotThreadSafe); //~[charge_outside_reclaim] E0423
        #[cfg(charge_outside_reclaim)]
        memalloc::scope(|memalloc| sent(memalloc)); //~[charge_outside_reclaim] E0277
        memalloc::scope(charge);
    }
}

// The witness for PF_MEMALLOC is used after its scope has ended.
#[cfg(any(control, memalloc_kept))]
pub mod memalloc_kept {
    use super::*;

    fn charge(_: &Memalloc) {}

    pub fn attack() {
        #[cfg(memalloc_kept)]
        {
            let mut kept: Option<&Memalloc> = None;
            memalloc::scope(|memalloc| kept = Some(memalloc)); //~[memalloc_kept] E0521
            if let Some(memalloc) = kept {
                charge(memalloc);
            }
        }
        memalloc::scope(charge);
    }
}

// The object is moved out of its entry and freed alone, or its memory is: the cgroup stays charged forever, and
// the entry on its list.
#[cfg(any(control, object_without_entry))]
pub mod object_without_entry {
    use super::*;

    pub(crate) fn attack(entry: StoredEntry) -> usize {
        #[cfg(object_without_entry)]
        let _ = slab::Box::into_parts(entry.0); //~[object_without_entry] E0616
        #[cfg(object_without_entry)]
        let _ = entry.into_raw(); //~[object_without_entry] E0624
        entry.object().len()
    }

    pub(crate) fn moved(entry: StoredEntry) -> usize {
        #[cfg(object_without_entry)]
        drop::<Object>(*entry.object()); //~[object_without_entry] E0507
        #[cfg(object_without_entry)]
        drop::<Entry>(*entry); //~[object_without_entry] E0507
        entry.object().len()
    }
}

// An entry is freed twice, or used after that.
#[cfg(any(control, entry_freed_twice))]
pub mod entry_freed_twice {
    use super::*;

    pub(crate) fn freed(one: StoredEntry, other: StoredEntry, look: fn(&Entry)) {
        let entry: &Entry = &one;
        #[cfg(control)]
        look(entry);
        FreeBatch::with(|batch| batch.free(one)); //~[entry_freed_twice] E0505
        FreeBatch::with(|batch| {
            #[cfg(entry_freed_twice)]
            batch.free(other);
            batch.free(other); //~[entry_freed_twice] E0382
        });
        #[cfg(entry_freed_twice)]
        look(entry);
    }

    pub(crate) fn dropped(one: StoredEntry) {
        #[cfg(entry_freed_twice)]
        FreeBatch::with(|batch| batch.free(one));
        drop(one); //~[entry_freed_twice] E0382
    }
}

// Charges are collected for one call of C, and that call never comes, or comes twice: what collects
// them is only lent.
#[cfg(any(control, free_batch_kept))]
pub mod free_batch_kept {
    use super::*;

    pub(crate) fn kept(entry: StoredEntry) {
        #[cfg(free_batch_kept)]
        {
            let mut kept = None;
            FreeBatch::with(|batch| kept = Some(batch)); //~[free_batch_kept] E0521
            let _ = FreeBatch::with(|batch| batch); //~[free_batch_kept] ERROR: lifetime may not live long enough
            FreeBatch::with(|batch| core::mem::forget(*batch)); //~[free_batch_kept] E0507
        }
        FreeBatch::with(|batch| batch.free(entry));
    }

    #[cfg(free_batch_kept)]
    pub(crate) fn attack() {
        FreeBatch::with(|batch| drop(batch.clone())); //~[free_batch_kept] E0599
        FreeBatch::with(|batch| drop(core::mem::take(batch))); //~[free_batch_kept] E0277
    }
}
