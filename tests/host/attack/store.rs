// SPDX-License-Identifier: GPL-2.0-or-later
// The batch that a store lends, and what it proves: what policy files could do with them.
//@[control] check-pass
#![deny(unsafe_code)]
use core::{
    cell::Cell,
    mem::{forget, replace, swap},
};
use kernel::{mm::folio::CachedFolio, prelude::*};
use zswap_core::{
    index::LeafCache,
    lru::Prepared,
    slots::{Cleared, Slots},
    store_batch::{store, Published, StoreBatch, Unpublished},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

type Stored<'f> = Result<(usize, Published<'f>), (Unpublished<'f>, Error)>;

// A batch is returned by the closure that it is lent to: it gets entries after those before were published.
#[cfg(any(control, batch_escapes))]
pub mod batch_escapes {
    use super::*;

    pub(crate) fn by_the_error<'f>(
        folio: &'f mut CachedFolio<'f>,
        leaves: &'static LeafCache,
    ) -> usize {
        #[cfg(control)]
        let stored = store(folio, leaves, |it| Err(it.slots().len()), |_| 0);
        #[cfg(batch_escapes)]
        let stored = store(folio, leaves, |it| Err(it), |_| loop {}); //~[batch_escapes] ERROR: lifetime may not live long enough
        match stored {
            Ok((nr, _)) => nr,
            #[cfg(control)]
            Err((_, nr)) => nr,
            #[cfg(batch_escapes)]
            Err((_, batch)) => batch.slots().len(),
        }
    }

    pub(crate) fn by_its_slots<'f>(
        folio: &'f mut CachedFolio<'f>,
        leaves: &'static LeafCache,
    ) -> usize {
        #[cfg(control)]
        let stored = store(folio, leaves, |it| Err(it.slots().len()), |_| 0);
        #[cfg(batch_escapes)]
        let stored = store(folio, leaves, |it| Err(it.slots()), |_| loop {}); //~[batch_escapes] ERROR: lifetime may not live long enough
        match stored {
            Ok((nr, _)) => nr,
            #[cfg(control)]
            Err((_, nr)) => nr,
            #[cfg(batch_escapes)]
            Err((_, slots)) => slots.len(),
        }
    }
}

// A batch is kept beyond its store, or is forgotten with its entries.
#[cfg(any(control, batch_kept))]
pub mod batch_kept {
    use super::*;

    pub(crate) fn kept<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> usize {
        let mut kept = None;
        let make = |batch: &mut StoreBatch<'f>| {
            #[cfg(batch_kept)]
            kept.replace(batch); //~[batch_kept] E0521
            #[cfg(control)]
            kept.replace(batch.slots().len());
            Ok(prepared)
        };
        drop(store(folio, leaves, make, |error| error));
        #[cfg(batch_kept)]
        let kept = kept.map(|batch: &mut StoreBatch<'f>| batch.slots().len());
        kept.unwrap_or(0)
    }

    pub(crate) fn failing<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'f> {
        let kept = Cell::new(None);
        let make = |batch: &mut StoreBatch<'f>| {
            #[cfg(batch_kept)]
            kept.set(Some(batch)); //~[batch_kept] E0521
            #[cfg(control)]
            kept.set(Some(batch.slots().len()));
            Ok(prepared)
        };
        store(folio, leaves, make, |error| {
            let kept = kept.take();
            #[cfg(batch_kept)]
            let kept = kept.map(|batch: &mut StoreBatch<'f>| batch.slots().len());
            kept.map_or(error, |_| EINVAL)
        })
    }

    pub(crate) fn forgotten(batch: &mut StoreBatch<'_>) -> usize {
        #[cfg(batch_kept)]
        forget(*batch); //~[batch_kept] E0507
        batch.slots().len()
    }
}

// The batches of two stores, one in the other, are swapped: each is published as the other folio's, and proves
// that this one is stored.
#[cfg(any(control, batches_swapped))]
pub mod batches_swapped {
    use super::*;

    pub(crate) fn attack<'a, 'b>(
        (one, other): (&'a mut CachedFolio<'a>, &'b mut CachedFolio<'b>),
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'a> {
        let make = |batch: &mut StoreBatch<'a>| {
            let other = other;
            let nested = |others: &mut StoreBatch<'b>| {
                #[cfg(batches_swapped)]
                swap(batch, others); //~[batches_swapped] ERROR: lifetime may not live long enough
                                     //~[batches_swapped]^ ERROR: lifetime may not live long enough
                let _ = (batch.slots().len(), others.slots().len());
                Ok(prepared)
            };
            drop(store(other, leaves, nested, |error| error));
            Ok(prepared)
        };
        store(one, leaves, make, |error| error)
    }

    #[cfg(batches_swapped)]
    pub(crate) fn replaced<'a, 'b>(one: &mut StoreBatch<'a>, other: StoreBatch<'b>) {
        drop(replace(one, other)); //~[batches_swapped] ERROR: lifetime may not live long enough
                                   //~[batches_swapped]^ ERROR: lifetime may not live long enough
    }
}

// A folio is stored while it is being stored: its slots are filled twice, by two that each have them alone.
#[cfg(any(control, stored_in_its_store))]
pub mod stored_in_its_store {
    use super::*;

    pub(crate) fn attack<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'f> {
        let make = |batch: &mut StoreBatch<'f>| {
            #[cfg(stored_in_its_store)]
            let folio = folio;
            #[cfg(stored_in_its_store)]
            drop(store(folio, leaves, |_| Ok(prepared), |error| error));
            let _ = batch.slots().len();
            Ok(prepared)
        };
        store(folio, leaves, make, |error| error) //~[stored_in_its_store] E0382
    }

    #[cfg(stored_in_its_store)]
    pub(crate) fn by_its_folio<'f>(
        batch: &mut StoreBatch<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'f> {
        let folio = batch.slots().folio();
        store(folio, leaves, |_| Ok(prepared), |error| error) //~[stored_in_its_store] E0308
    }
}

// The witness is borrowed for a shorter time than its own, the folio is stored, and then a slot is emptied.
#[cfg(any(control, stored_by_a_loan))]
pub mod stored_by_a_loan {
    use super::*;

    pub(crate) fn attack<'f>(
        folio: &mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> usize {
        #[cfg(stored_by_a_loan)]
        let _: Stored<'f> = store(folio, leaves, |_| Ok(prepared), |error| error); //~[stored_by_a_loan] E0621
        let _ = (prepared, leaves);
        Slots::new(folio).len() //~[stored_by_a_loan] E0499
    }
}

// A struct literal makes a batch that no store has lent.
#[cfg(any(control, batch_of_its_fields))]
pub mod batch_of_its_fields {
    use super::*;

    pub(crate) fn made<'f>(
        slots: Slots<'f, 'f>,
        other: fn() -> StoreBatch<'f>,
        lent: &mut StoreBatch<'f>,
    ) -> usize {
        #[cfg(batch_of_its_fields)]
        let lent = &mut StoreBatch {
            slots, //~[batch_of_its_fields] E0451
            //~[batch_of_its_fields]v E0451
            ..other() //~[batch_of_its_fields] E0451
        };
        lent.slots().len()
    }
}

// The proof that a folio is stored is made without a store, or of one that has failed.
#[cfg(any(control, published_without_store))]
pub mod published_without_store {
    use super::*;

    #[cfg(published_without_store)]
    pub(crate) fn chain(lent: &mut StoreBatch<'_>) {
        lent.chain = zswap_core::store_batch::Chain::EMPTY; //~[published_without_store] E0603
                                                            //~[published_without_store]^ E0616
                                                            //~[published_without_store]^^ E0624
    }

    pub(crate) fn published<'f>(
        folio: &'f mut CachedFolio<'f>,
        lists: fn(&StoreBatch<'f>) -> Result<Prepared<'f>>,
        leaves: &'static LeafCache,
    ) -> Result<Published<'f>, Cleared<'f>> {
        let stored = store(folio, leaves, |batch| lists(batch), |error| error);
        match stored {
            Ok((_, published)) => Ok(published),
            #[cfg(published_without_store)]
            Err((Unpublished(folio), ENOMEM)) => Ok(Published(folio)), //~[published_without_store] E0532
            //~[published_without_store]^ E0423
            #[cfg(published_without_store)]
            Err((unpublished, EINVAL)) => Ok(unpublished), //~[published_without_store] E0308
            Err((unpublished, _)) => Err(unpublished.slots().clear()),
        }
    }
}

// The slots of a folio of which a store has failed are got twice, or the folio is stored again beside them.
#[cfg(any(control, unpublished_twice))]
pub mod unpublished_twice {
    use super::*;

    pub(crate) fn slots<'f>(unpublished: Unpublished<'f>) -> Cleared<'f> {
        let slots = unpublished.slots();
        #[cfg(unpublished_twice)]
        drop(unpublished.slots().entry(0)); //~[unpublished_twice] E0382
        slots.clear()
    }

    pub(crate) fn stored<'f>(
        folio: &'f mut CachedFolio<'f>,
        prepared: Prepared<'_>,
        leaves: &'static LeafCache,
    ) -> Stored<'f> {
        let stored = store(folio, leaves, |_| Ok(prepared), |error| error);
        #[cfg(unpublished_twice)]
        drop(store(folio, leaves, |_| Ok(prepared), |error| error)); //~[unpublished_twice] E0499
        stored
    }
}
