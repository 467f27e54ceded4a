// SPDX-License-Identifier: GPL-2.0-or-later
// The slots of a locked folio.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::mm::{folio::CachedFolio, swap_add::NewFolio};
use zswap_core::{
    free::StoredEntry,
    lru,
    pool_table::PoolRef,
    slots::Slots,
    store::{store, Store},
    writeback::write,
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

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> bool {
        let one = Slots::of_folio(folio);
        #[cfg(control)]
        drop(one);
        let two = Slots::of_folio(folio); //~[slots_twice] E0499
        #[cfg(slots_twice)]
        drop(one);
        two.are_filled()
    }

    #[cfg(slots_twice)]
    pub(crate) fn of_shared(folio: &CachedFolio<'_>) -> bool {
        Slots::of(folio).are_filled() //~[slots_twice] E0624
    }
}

// A slot is emptied while a store that is under way fills the slots: the store would say that all pages are
// stored. It lends its folio, but not the folio's slots.
#[cfg(any(control, slots_beside_store))]
pub mod slots_beside_store {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>, fill: fn(&mut Store<'_, '_>) -> Result) {
        #[cfg(slots_beside_store)]
        let slots = Slots::of_folio(folio);
        let stored = store(folio, |store| {
            //~[slots_beside_store]^ E0499
            #[cfg(slots_beside_store)]
            slots.clear(|_| ());
            fill(store)
        });
        drop(stored);
    }

    pub(crate) fn of_its_folio(store: &mut Store<'_, '_>) -> usize {
        #[cfg(slots_beside_store)]
        Slots::of_folio(store.folio()).clear(|_| ()); //~[slots_beside_store] E0308
        store.folio().nr_pages()
    }
}

// A view of the slots is kept while the folio is given away: another task may have them, or the I/O.
#[cfg(any(control, slots_after_folio))]
pub mod slots_after_folio {
    use super::*;

    pub(crate) fn attack(folio: CachedFolio<'_>, give: fn(CachedFolio<'_>)) -> bool {
        let mut folio = folio;
        let slots = Slots::of_folio(&mut folio);
        #[cfg(slots_after_folio)]
        give(folio); //~[slots_after_folio] E0505
        slots.are_filled()
    }
}

// The I/O owns a folio that is being written and unlocks it at any time: an entry
// found for its slot must not be kept.
#[cfg(any(control, entry_after_write))]
pub mod entry_after_write {
    use super::*;

    pub(crate) fn attack(folio: NewFolio) {
        let mut kept = None;
        let written = write(folio, |entry, _| {
            #[cfg(entry_after_write)]
            kept.replace(entry); //~[entry_after_write] E0521
            #[cfg(control)]
            kept.replace(entry.swap());
            Err(EINVAL)
        });
        drop((kept, written.is_ok()));
    }
}

// A slot beyond those of the folio belongs to another owner. The policy can't name a slot, nor the array.
#[cfg(any(control, slot_past_folio))]
pub mod slot_past_folio {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> bool {
        #[allow(unused_mut)]
        let mut slots = Slots::of_folio(folio);
        #[cfg(slot_past_folio)]
        let _ = slots.tree; //~[slot_past_folio] E0616
        #[cfg(slot_past_folio)]
        let _ = &mut slots.offsets; //~[slot_past_folio] E0616
        slots.are_filled()
    }
}

// A folio was refused, and its slots were cleared; or it was stored. Then one is filled again, or emptied: writeback of
// an older entry overwrites newer data (docs/races.md: 12), or a page is lost. What reports a store gets a shared
// reference to its folio.
#[cfg(any(control, changed_after_store))]
pub mod changed_after_store {
    use super::*;

    pub(crate) fn attack(folio: &CachedFolio<'_>, fill: fn(&mut Store<'_, '_>) -> Result) {
        #[cfg(changed_after_store)]
        drop(store(folio, fill)); //~[changed_after_store] E0308
        #[cfg(changed_after_store)]
        Slots::of_folio(folio).clear(|_| ()); //~[changed_after_store] E0308
        let _ = (folio, fill);
    }
}

// The policy does the mechanism's work by itself: it makes an entry that isn't on a list, or puts one on a list.
#[cfg(any(control, core_by_hand))]
pub mod core_by_hand {
    use super::*;

    pub(crate) fn attack(entry: &Entry, object: Object) -> usize {
        #[cfg(core_by_hand)]
        let _ = &entry.links; //~[core_by_hand] E0616
        #[cfg(core_by_hand)]
        let _ = Entry::new(object, None); //~[core_by_hand] E0624
        #[cfg(core_by_hand)]
        return 1;
        #[cfg(control)]
        entry.object().len().max(object.len())
    }

    pub(crate) fn stored(pool: PoolRef) {
        #[cfg(core_by_hand)]
        let _ = StoredEntry::from_raw; //~[core_by_hand] E0624
        #[cfg(core_by_hand)]
        let _ = PoolRef::into_id(pool); //~[core_by_hand] E0624
    }

    #[cfg(core_by_hand)]
    pub(crate) fn lists() {
        let _ = lru::del; //~[core_by_hand] E0603
        let _ = lru::links_of; //~[core_by_hand] E0603
    }
}
