// SPDX-License-Identifier: GPL-2.0-or-later
// Charging the entries of a group to a cgroup, and what is freed: what policy files could do with it.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    mm::memalloc::{self, Memalloc},
    prelude::*,
    slab,
};
use zswap_core::{entry::Entry, free::StoredEntry, object::Object, store::Group};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

// Entries are put on a cgroup's list and charged to another cgroup, or to none: they are removed
// from another list, under its lock. Only publishing a group adds to lists, and it charges; only a group fills slots.
#[cfg(any(control, publish_uncharged))]
pub mod publish_uncharged {
    use super::*;

    #[cfg(publish_uncharged)]
    use zswap_core::index::LeafRef; //~[publish_uncharged] E0603

    pub(crate) fn attack(group: &mut Group<'_, '_>, object: Object) {
        #[cfg(publish_uncharged)]
        {
            group.publish(); //~[publish_uncharged] E0624
            let _ = &mut group.leaf; //~[publish_uncharged] E0616
            let _ = &mut group.sum; //~[publish_uncharged] E0616
            let _ = &mut group.lists; //~[publish_uncharged] E0616
        }
        group.push(object);
    }
}

// What a charge ends with is changed: the cgroup is uncharged that wasn't charged, or nobody is.
#[cfg(any(control, charge_changed))]
pub mod charge_changed {
    use super::*;

    pub(crate) fn attack(entry: &mut Entry) -> bool {
        #[cfg(charge_changed)]
        drop(entry.objcg.take()); //~[charge_changed] E0616
        entry.objcg().is_some()
    }

    pub(crate) fn stored(entry: &mut StoredEntry) -> usize {
        #[cfg(charge_changed)]
        let entry: &mut Entry = &mut *entry; //~[charge_changed] E0596
        entry.object().len()
    }
}

// Entries are charged or uncharged by themselves: twice, or with other sizes. Counters underflow (docs/races.md: 6). Or
// what collects the charges of freed entries for one call is kept, and that call never comes. Publishing charges, and
// freeing uncharges.
#[cfg(any(control, charge_by_itself))]
pub mod charge_by_itself {
    use super::*;

    #[cfg(charge_by_itself)]
    use zswap_core::charge::Sum; //~[charge_by_itself] E0603
    #[cfg(charge_by_itself)]
    use zswap_core::free::FreeBatch; //~[charge_by_itself] E0603

    pub(crate) fn attack(entry: StoredEntry) {
        drop(entry);
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
        let _ = StoredEntry::from_raw; //~[object_without_entry] E0624
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

// An entry is copied, freed twice, or used after that.
#[cfg(any(control, entry_freed_twice))]
pub mod entry_freed_twice {
    use super::*;

    pub(crate) fn freed(entry: StoredEntry, look: fn(&Entry)) {
        let borrowed: &Entry = &entry;
        #[cfg(control)]
        look(borrowed);
        drop(entry); //~[entry_freed_twice] E0505
        #[cfg(entry_freed_twice)]
        look(borrowed);
    }

    pub(crate) fn dropped(entry: StoredEntry) {
        #[cfg(entry_freed_twice)]
        drop(entry);
        drop(entry); //~[entry_freed_twice] E0382
    }

    #[cfg(entry_freed_twice)]
    pub(crate) fn copied(entry: StoredEntry) {
        drop::<StoredEntry>(entry.clone()); //~[entry_freed_twice] E0599
    }
}
