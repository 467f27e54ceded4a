// SPDX-License-Identifier: GPL-2.0-or-later
// The slots of a locked folio, and views of them.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::mm::{folio::CachedFolio, swap_add::NewFolio};
use zswap_core::{
    entry::Entry,
    free::StoredEntry,
    index::LeafCache,
    lru::{self, Prepared},
    pool_table::PoolRef,
    slots::{Cleared, SlotEntry, Slots},
    store_batch::{store, Published, StoreBatch},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(dead_code, unsafe_code, unused_imports)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

include!("fill.in");

// Two views of one folio: an entry from the first may be freed through the second.
#[cfg(any(control, slots_twice))]
pub mod slots_twice {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> usize {
        let one = Slots::new(folio);
        #[cfg(control)]
        drop(one);
        let two = Slots::new(folio); //~[slots_twice] E0499
        #[cfg(slots_twice)]
        drop(one);
        two.len()
    }
}

// A slot's entry is looked at, while a store that is under way empties and fills the slots.
#[cfg(any(control, slots_beside_batch))]
pub mod slots_beside_batch {
    use super::*;

    pub(crate) fn attack<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Option<Published<'f>> {
        let make = |batch: &mut StoreBatch<'f>| {
            #[cfg(slots_beside_batch)]
            let folio = folio;
            #[cfg(slots_beside_batch)]
            drop(Slots::new(folio).entry(0));
            let _ = batch.slots().len();
            Ok(prepared)
        };
        let stored = store(folio, leaves, make, |error| error); //~[slots_beside_batch] E0382
        stored.ok().map(|(_, published)| published)
    }

    pub(crate) fn of_the_batch(batch: &mut StoreBatch<'_>) -> usize {
        #[cfg(slots_beside_batch)]
        drop(batch.slots().entry(0)); //~[slots_beside_batch] E0507
        batch.slots().len()
    }

    #[cfg(slots_beside_batch)]
    pub(crate) fn of_its_folio(batch: &mut StoreBatch<'_>) {
        drop(Slots::new(batch.slots().folio()).entry(0)); //~[slots_beside_batch] E0308
    }
}

// Two entries borrowed from one view: freeing one may free the
// other, if both are of the same slot.
#[cfg(any(control, entry_twice))]
pub mod entry_twice {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> bool {
        let slots = Slots::new(folio);
        let one = slots.entry(0);
        #[cfg(entry_twice)]
        let two = slots.entry(0); //~[entry_twice] E0382
        #[cfg(control)]
        drop(one);
        #[cfg(control)]
        let two = Slots::new(folio).entry(0);
        #[cfg(entry_twice)]
        drop(one);
        two.is_some()
    }
}

// An entry is used after its slot's view has ended: another one may have freed it.
#[cfg(any(control, entry_kept))]
pub mod entry_kept {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> usize {
        let found = Slots::new(folio).entry(0);
        let entry = found.as_ref().map(SlotEntry::get);
        #[cfg(entry_kept)]
        drop(found); //~[entry_kept] E0505
        entry.map_or(0, |entry| entry.object().len())
    }
}

// zswap_load() unlocks the folio: an entry of it that is used after that
// may be freed (docs/races.md: 10).
#[cfg(any(control, slots_after_unlock))]
pub mod slots_after_unlock {
    use super::*;

    pub(crate) fn attack<'a>(folio: UnreadFolio<'a>, from: &Object) -> Load<'a> {
        #[cfg(slots_after_unlock)]
        let cached = &*folio;
        let load = folio.load_exclusively(|_, contents| fill(from, contents).ok()); //~[slots_after_unlock] E0505
        #[cfg(slots_after_unlock)]
        let _ = cached.swap();
        #[cfg(slots_after_unlock)]
        let _ = folio.swap(); //~[slots_after_unlock] E0382
        load
    }
}

// The slots of a folio that isn't filled are had, and with them its pages: what they hold is stored, or
// the slot's only entry is cleared.
#[cfg(any(control, slots_of_unread))]
pub mod slots_of_unread {
    use super::*;

    pub(crate) fn attack<'a>(mut folio: UnreadFolio<'a>, from: &Object) -> Load<'a> {
        #[cfg(slots_of_unread)]
        drop(Slots::new(&mut folio)); //~[slots_of_unread] E0596
        folio.load_exclusively(|_, contents| fill(from, contents).ok())
    }
}

// The I/O owns a folio that is being read and unlocks it at any time: an entry
// found for its slot must not be kept.
#[cfg(any(control, slots_after_read))]
pub mod slots_after_read {
    use super::*;

    pub(crate) fn attack(folio: WritebackFolio) -> Option<NewFolio> {
        let mut kept = None;
        let written = folio.write(|entry, _| {
            #[cfg(slots_after_read)]
            kept.replace(entry); //~[slots_after_read] E0521
            #[cfg(control)]
            kept.replace(entry.swap());
            Err(EINVAL)
        });
        let folio = written.err().map(|(folio, _)| folio);
        drop(kept);
        folio
    }
}

// A slot beyond those of the folio belongs to another owner. A slot is named by its index only,
// which is bounds-checked; the policy can't name the array.
#[cfg(any(control, slot_past_folio))]
pub mod slot_past_folio {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> bool {
        let slots = Slots::new(folio);
        #[cfg(slot_past_folio)]
        let _ = slots.nr; //~[slot_past_folio] E0616
        #[cfg(slot_past_folio)]
        return slots.tree().is_some(); //~[slot_past_folio] E0624
        #[cfg(control)]
        slots.entry(usize::MAX).is_none()
    }
}

// A refused store has cleared the slots, and then one is filled again: writeback of that entry
// overwrites newer data (docs/races.md: 12).
#[cfg(any(control, refill_cleared))]
pub mod refill_cleared {
    use super::*;

    pub(crate) fn attack<'f>(
        folio: &'f mut CachedFolio<'f>,
        refill: fn(&mut StoreBatch<'f>) -> Result<Prepared<'f>>,
        leaves: &'static LeafCache,
    ) -> Cleared<'f> {
        #[cfg(control)]
        return Slots::new(folio).clear();
        #[cfg(refill_cleared)]
        let cleared = Slots::new(folio).clear();
        #[cfg(refill_cleared)]
        drop(store(folio, leaves, refill, |error| error)); //~[refill_cleared] E0499
        #[cfg(refill_cleared)]
        cleared
    }
}

// The witness is borrowed for a shorter time than its own, the slots are cleared, and then filled again.
#[cfg(any(control, cleared_by_a_loan))]
pub mod cleared_by_a_loan {
    use super::*;

    pub(crate) fn attack<'f>(folio: &mut CachedFolio<'f>) -> usize {
        let slots = Slots::new(folio);
        #[cfg(cleared_by_a_loan)]
        let _: Cleared<'f> = slots.clear(); //~[cleared_by_a_loan] E0621
        #[cfg(control)]
        return slots.len();
        #[cfg(cleared_by_a_loan)]
        0
    }
}

// All pages of a folio are stored, and then a slot is emptied or filled with something else: the proof that they
// are stored would be false. A store borrows the folio for all the time of its witness.
#[cfg(any(control, emptied_after_publish))]
pub mod emptied_after_publish {
    use super::*;

    pub(crate) fn attack<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Result<Published<'f>> {
        let stored = store(folio, leaves, |_| Ok(prepared), |error| error);
        let (_, published) = stored.map_err(|(unpublished, error)| {
            unpublished.slots().clear();
            error
        })?;
        #[cfg(emptied_after_publish)]
        drop(Slots::new(folio).entry(0)); //~[emptied_after_publish] E0499
        #[cfg(emptied_after_publish)]
        drop(store(folio, leaves, |_| Ok(prepared), |error| error)); //~[emptied_after_publish] E0499
        Ok(published)
    }

    pub(crate) fn by_the_proof(published: Published<'_>) -> usize {
        #[cfg(emptied_after_publish)]
        drop(Slots::new(published.folio()).clear()); //~[emptied_after_publish] E0308
        #[cfg(emptied_after_publish)]
        drop(Slots::of(published.folio()).clear()); //~[emptied_after_publish] E0624
        published.folio().nr_pages()
    }

    #[cfg(emptied_after_publish)]
    pub(crate) fn by_the_lent<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> usize {
        let mut kept = None;
        let make = |batch: &mut StoreBatch<'f>| {
            kept.replace(batch.slots()); //~[emptied_after_publish] E0521
            Ok(prepared)
        };
        drop(store(folio, leaves, make, |error| error));
        kept.map_or(0, Slots::len)
    }
}

// A page is stored without its cgroup's list: the entry would be put on one that isn't there.
#[cfg(any(control, published_unprepared))]
pub mod published_unprepared {
    use super::*;

    pub(crate) fn attack<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Option<Published<'f>> {
        #[cfg(published_unprepared)]
        let prepared = Prepared { objcg: None }; //~[published_unprepared] E0451
        let stored = store(folio, leaves, |_| Ok(prepared), |error| error);
        stored.ok().map(|(_, published)| published)
    }
}

// The policy does the mechanism's work by itself: it takes an entry out of its slot, makes one that isn't on a
// list, or puts one on a list.
#[cfg(any(control, core_by_hand))]
pub mod core_by_hand {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>, object: Object) -> usize {
        let Some(entry) = Slots::new(folio).entry(0) else {
            return 0;
        };
        #[cfg(core_by_hand)]
        let _ = &entry.get().links; //~[core_by_hand] E0616
        #[cfg(core_by_hand)]
        let _ = Entry::new(object); //~[core_by_hand] E0624
        #[cfg(core_by_hand)]
        drop(entry.take()); //~[core_by_hand] E0624
        #[cfg(core_by_hand)]
        return 1;
        #[cfg(control)]
        entry.get().object().len()
    }

    pub(crate) fn stored(stored: StoredEntry, pool: PoolRef) {
        #[cfg(core_by_hand)]
        let _ = stored.into_raw(); //~[core_by_hand] E0624
        #[cfg(core_by_hand)]
        let _ = PoolRef::into_id(pool); //~[core_by_hand] E0624
    }

    #[cfg(core_by_hand)]
    pub(crate) fn lists() {
        let _ = lru::del; //~[core_by_hand] E0603
        let _ = lru::add_each; //~[core_by_hand] E0603
        let _ = lru::raw_links; //~[core_by_hand] E0603
    }
}
