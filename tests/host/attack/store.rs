// SPDX-License-Identifier: GPL-2.0-or-later
// A store, and the group of pages that it lends: what policy files could do with them.
//@[control] check-pass
#![deny(unsafe_code)]
use core::{
    cell::Cell,
    mem::{forget, replace, swap, take},
};
use kernel::{
    mm::folio::CachedFolio,
    prelude::*,
    slab::{self, UninitBoxes},
};
use zswap_core::{
    entry::Entry,
    index::Leaf,
    lru::Lists,
    object::Object,
    store::{store, Group, SlotPages, Store},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

/// What a group takes.
type Means<'l> = (UninitBoxes<Entry>, Lists<'l>, &'static slab::Cache<Leaf>);

// zswap_store() says that a folio is stored whose slots weren't filled: C doesn't write it to the device, and its pages
// are lost. The store counts, and decides.
#[cfg(any(control, stored_unproved))]
pub mod stored_unproved {
    use super::*;

    #[cfg(stored_unproved)]
    pub(crate) fn by_the_result(folio: &mut CachedFolio<'_>) -> Result<usize> {
        store(folio, |_| Ok(8)) //~[stored_unproved] E0308
    }

    pub(crate) fn attack(store: &mut Store<'_, '_>) -> usize {
        #[cfg(stored_unproved)]
        {
            store.next = 8; //~[stored_unproved] E0616
            store.wanted.count(); //~[stored_unproved] E0616
            store.entries = 8; //~[stored_unproved] E0616
        }
        store.entries()
    }

    pub(crate) fn group(group: &mut Group<'_, '_>) -> usize {
        #[cfg(stored_unproved)]
        group.wanted.count(); //~[stored_unproved] E0616
        group.pages().len()
    }
}

// zswap_store() refuses, and an older entry stays: its writeback will overwrite newer data (docs/races.md: 12). The
// policy keeps or forgets what would clear the slots.
#[cfg(any(control, refused_not_cleared))]
pub mod refused_not_cleared {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> Result<usize> {
        let kept = Cell::new(None);
        store(folio, |store| {
            #[cfg(refused_not_cleared)]
            kept.set(Some(store)); //~[refused_not_cleared] E0521
                                   //~[refused_not_cleared]^ E0521
            #[cfg(control)]
            kept.set(Some(store.zeroes()));
            Err(EINVAL)
        })
    }

    pub(crate) fn forgotten(store: &mut Store<'_, '_>) -> usize {
        #[cfg(refused_not_cleared)]
        forget(*store); //~[refused_not_cleared] E0507
        store.zeroes()
    }
}

// A folio is stored while it is being stored: its slots are filled twice, by two that each have them alone.
#[cfg(any(control, stored_in_its_store))]
pub mod stored_in_its_store {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>, make: fn(&mut Store<'_, '_>) -> Result) {
        #[cfg(stored_in_its_store)]
        let again = &mut *folio;
        let stored = store(folio, |its| {
            //~[stored_in_its_store]^ E0499
            #[cfg(stored_in_its_store)]
            drop(store(again, make));
            make(its)
        });
        drop(stored);
    }

    #[cfg(stored_in_its_store)]
    pub(crate) fn by_its_folio(its: &mut Store<'_, '_>, make: fn(&mut Store<'_, '_>) -> Result) {
        drop(store(its.folio(), make)); //~[stored_in_its_store] E0308
    }
}

// A group, or its pages, are kept beyond the closure that they are lent to: it gets entries that are neither charged nor
// on a list, and the folio's pages are read when it is unlocked.
#[cfg(any(control, group_kept))]
pub mod group_kept {
    use super::*;

    pub(crate) fn kept(store: &mut Store<'_, '_>, (memory, lists, leaves): Means<'_>) -> usize {
        let mut kept = None;
        let made: Result = store.fill(memory, lists, leaves, |group| {
            #[cfg(group_kept)]
            kept.replace(group); //~[group_kept] E0521
                                 //~[group_kept]^ E0521
            #[cfg(control)]
            kept.replace(group.pages().len());
            Ok(())
        });
        drop(made);
        #[cfg(group_kept)]
        let kept = kept.map(|group: &mut Group<'_, '_>| group.pages().len());
        kept.unwrap_or(0)
    }

    pub(crate) fn pages(store: &mut Store<'_, '_>, (memory, lists, leaves): Means<'_>) -> usize {
        let mut kept = None;
        let made: Result = store.fill(memory, lists, leaves, |group| {
            #[cfg(group_kept)]
            kept.replace(group.pages()); //~[group_kept] E0521
            #[cfg(control)]
            kept.replace(group.pages().len());
            Ok(())
        });
        drop(made);
        #[cfg(group_kept)]
        let kept = kept.map(|pages: SlotPages<'_, '_>| pages.len());
        kept.unwrap_or(0)
    }

    pub(crate) fn forgotten(group: &mut Group<'_, '_>) -> usize {
        #[cfg(group_kept)]
        forget(*group); //~[group_kept] E0507
        group.pages().len()
    }
}

// A group is copied, or moved out of what lends it: its entries are charged and put on their lists twice.
#[cfg(any(control, group_copied))]
pub mod group_copied {
    use super::*;

    pub(crate) fn attack(group: &mut Group<'_, '_>, object: Object) {
        #[cfg(group_copied)]
        drop(group.clone()); //~[group_copied] E0599
        #[cfg(group_copied)]
        drop(object.clone()); //~[group_copied] E0599
        group.push(object);
    }

    #[cfg(group_copied)]
    pub(crate) fn moved(group: &mut Group<'_, '_>) -> usize {
        let group = *group; //~[group_copied] E0507
        group.pages().len()
    }

    #[cfg(group_copied)]
    pub(crate) fn taken(group: &mut Group<'_, '_>) {
        drop(take(group)); //~[group_copied] E0277
    }
}

// The groups of two stores, one in the other, are swapped, or the stores are: each has the other folio's pages.
#[cfg(any(control, groups_swapped))]
pub mod groups_swapped {
    use super::*;

    pub(crate) fn attack(
        (one, other): (&mut Store<'_, '_>, &mut Store<'_, '_>),
        (memory, lists, leaves): Means<'_>,
        (more, others, _): Means<'_>,
    ) -> Result {
        one.fill(memory, lists, leaves, |ours| {
            let made: Result = other.fill(more, others, leaves, |theirs| {
                //~[groups_swapped]^ ERROR: lifetime may not live long enough
                //~[groups_swapped]^^ ERROR: lifetime may not live long enough
                #[cfg(groups_swapped)]
                swap(ours, theirs); //~[groups_swapped] E0521
                                    //~[groups_swapped]^ E0521
                let _ = theirs.pages().len();
                Ok(())
            });
            let _ = ours.pages().len();
            made
        })
    }

    pub(crate) fn stores(one: &mut CachedFolio<'_>, other: &mut CachedFolio<'_>) -> Result<usize> {
        store(one, |ours| {
            let nested: Result<usize> = store(other, |theirs| {
                #[cfg(groups_swapped)]
                swap(ours, theirs); //~[groups_swapped] E0521
                                    //~[groups_swapped]^ E0521
                                    //~[groups_swapped]^^ E0521
                let _ = theirs.zeroes();
                Err(EINVAL)
            });
            let _ = ours.zeroes();
            nested.map(drop)
        })
    }

    #[cfg(groups_swapped)]
    pub(crate) fn replaced<'a, 'b, 'f>(one: &mut Group<'a, 'f>, other: Group<'b, 'f>) {
        drop(replace(one, other)); //~[groups_swapped] ERROR: lifetime may not live long enough
    }
}

// Struct literals make a group that no store has lent, a store of no folio, and pages that a folio hasn't.
#[cfg(any(control, group_of_its_fields))]
pub mod group_of_its_fields {
    use super::*;

    pub(crate) fn group<'g, 'f>(
        lists: Lists<'g>,
        other: fn() -> Group<'g, 'f>,
        lent: &mut Group<'g, 'f>,
    ) -> usize {
        #[cfg(group_of_its_fields)]
        let lent = &mut Group {
            lists, //~[group_of_its_fields] E0451
            //~[group_of_its_fields]v E0451
            ..other() //~[group_of_its_fields] E0451
                      //~[group_of_its_fields]^ E0451
                      //~[group_of_its_fields]^^ E0451
                      //~[group_of_its_fields]^^^ E0451
                      //~[group_of_its_fields]^^^^ E0451
        };
        let _ = (lists, other);
        lent.pages().len()
    }

    #[cfg(group_of_its_fields)]
    pub(crate) fn store<'s, 'f>(other: fn() -> Store<'s, 'f>) -> usize {
        let store = Store {
            next: 8, //~[group_of_its_fields] E0451
            ..other()  //~[group_of_its_fields] E0451
                     //~[group_of_its_fields]^ E0451
                     //~[group_of_its_fields]^^ E0451
        };
        store.zeroes()
    }

    #[cfg(group_of_its_fields)]
    pub(crate) fn pages<'a, 'f>(folio: &'a CachedFolio<'f>, other: SlotPages<'a, 'f>) -> usize {
        let pages = SlotPages {
            folio,   //~[group_of_its_fields] E0451
            ..other  //~[group_of_its_fields] E0451
        };
        pages.len()
    }
}

// list_lru_add() of an entry that is on a list already: an object is pushed once, in memory of its own.
#[cfg(any(control, pushed_twice))]
pub mod pushed_twice {
    use super::*;

    pub(crate) fn object(one: &mut Group<'_, '_>, other: &mut Group<'_, '_>, object: Object) {
        #[cfg(pushed_twice)]
        one.push(object);
        other.push(object); //~[pushed_twice] E0382
    }

    pub(crate) fn memory(
        (one, other): (&mut Store<'_, '_>, &mut Store<'_, '_>),
        (memory, lists, leaves): Means<'_>,
    ) -> Result {
        #[cfg(pushed_twice)]
        one.fill(memory, lists, leaves, |_| Ok::<(), Error>(()))?;
        other.fill(memory, lists, leaves, |_| Ok(())) //~[pushed_twice] E0382
    }
}

// An entry is published first and initialised later, "while it's already in xarray".
#[cfg(any(control, entry_half_made))]
pub mod entry_half_made {
    use super::*;

    pub(crate) fn attack(group: &mut Group<'_, '_>, object: Object) {
        #[cfg(entry_half_made)]
        group.push(); //~[entry_half_made] E0061
        #[cfg(control)]
        group.push(object);
    }
}
