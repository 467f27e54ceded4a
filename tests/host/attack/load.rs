// SPDX-License-Identifier: GPL-2.0-or-later
// Loading a folio from its entry.
//@[control] check-pass
#![deny(unsafe_code)]
use zswap_core::{
    entry::Entry,
    load_states::{Completed, NotStored},
};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(dead_code, unsafe_code, unused_imports)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

include!("fill.in");

// A load reports that a slot with an entry has none: C then reads the device, which has older
// contents. Only zswap_core does the lookup.
#[cfg(any(control, load_denied))]
pub mod load_denied {
    use super::*;

    pub(crate) fn attack<'a>(
        folio: UnreadFolio<'a>,
        how: Option<NotStored<'a>>,
        from: &Object,
    ) -> Load<'a> {
        let _ = how;
        #[cfg(load_denied)]
        if from.len() > 1 {
            return Load::NotStored(folio); //~[load_denied] E0308
        } else if from.len() > 0 {
            return Load::NotStored(NotStored(folio)); //~[load_denied] E0423
        }
        folio.load_exclusively(|_, contents| fill(from, contents).ok())
    }
}

// zswap_load() returns 0, but the folio isn't filled, or is still locked: tasks that
// wait for the folio wait forever.
#[cfg(any(control, load_made_up))]
pub mod load_made_up {
    use super::*;

    pub(crate) fn attack<'a>(
        folio: UnreadFolio<'a>,
        how: Option<Completed<'a>>,
        from: &Object,
    ) -> Load<'a> {
        let _ = (how, from);
        #[cfg(load_made_up)]
        core::mem::forget(folio);
        #[cfg(load_made_up)]
        return Load::Loaded(()); //~[load_made_up] E0308
        #[cfg(control)]
        folio.load_exclusively(|_, contents| fill(from, contents).ok())
    }
}

// A failed load returns -ENOENT, after the folio was unlocked: C takes it as still locked, reads the device's older data
// into it, and unlocks it, which another task may have locked by then.
#[cfg(any(control, load_fails_as_not_stored))]
pub mod load_fails_as_not_stored {
    use super::*;

    pub(crate) fn attack<'a>(folio: UnreadFolio<'a>, from: &Object) -> Load<'a> {
        let load = folio.load_exclusively(|_, contents| {
            #[cfg(load_fails_as_not_stored)]
            return Err(ENOENT); //~[load_fails_as_not_stored] E0308
            #[cfg(control)]
            fill(from, contents).ok()
        });
        match load {
            #[cfg(load_fails_as_not_stored)]
            Load::Failed(mut done) => {
                done.0 = ENOENT; //~[load_fails_as_not_stored] E0616
                Load::Failed(done)
            }
            load => load,
        }
    }
}

// An I/O error is reported as success: a page that couldn't be decompressed becomes visible.
#[cfg(any(control, load_failed_is_loaded))]
pub mod load_failed_is_loaded {
    use super::*;

    pub(crate) fn attack(load: Load<'_>) -> Load<'_> {
        match load {
            #[cfg(load_failed_is_loaded)]
            Load::Failed(done) => Load::Loaded(done), //~[load_failed_is_loaded] E0308
            load => load,
        }
    }
}

// One folio's result is returned for another one, which is still locked.
#[cfg(any(control, load_of_other_folio))]
pub mod load_of_other_folio {
    use super::*;

    pub(crate) fn attack<'a, 'b>(one: UnreadFolio<'a>, other: Load<'b>, from: &Object) -> Load<'a> {
        let _ = from;
        #[cfg(load_of_other_folio)]
        core::mem::forget(one);
        #[cfg(load_of_other_folio)]
        return other; //~[load_of_other_folio] ERROR: lifetime may not live long enough
                      //~[load_of_other_folio]^ ERROR: lifetime may not live long enough
        #[cfg(control)]
        let _ = other;
        #[cfg(control)]
        one.load_exclusively(|_, contents| fill(from, contents).ok())
    }
}

// folio_mark_uptodate() on a page that was never written: the process sees stale memory.
#[cfg(any(control, load_without_filling))]
pub mod load_without_filling {
    use super::*;

    pub(crate) fn attack<'a>(folio: UnreadFolio<'a>, from: &Object) -> Load<'a> {
        folio.load_exclusively(|_, contents| {
            #[cfg(load_without_filling)]
            let filled = contents;
            #[cfg(control)]
            let filled = fill(from, contents).ok()?;
            Some(filled) //~[load_without_filling] E0308
        })
    }
}

// The page is filled after the load has ended, and its entry stays: a second
// copy, stale after the first write.
#[cfg(any(control, load_without_taking))]
pub mod load_without_taking {
    use super::*;

    pub(crate) fn attack<'a>(folio: UnreadFolio<'a>, from: &Object) -> Load<'a> {
        let mut kept = None;
        let load = folio.load_exclusively(|_, contents| {
            #[cfg(load_without_taking)]
            kept.replace(contents); //~[load_without_taking] E0521
            #[cfg(control)]
            kept.replace(fill(from, contents).is_ok());
            None
        });
        #[cfg(load_without_taking)]
        let _ = kept.map(|contents| fill(from, contents));
        load
    }
}

// A load takes the entry, and then fails: the page is lost, and the slot reads as the device's
// stale contents. Only zswap_core takes entries, when nothing can fail any more.
#[cfg(any(control, taken_then_failed))]
pub mod taken_then_failed {
    use super::*;

    pub(crate) fn attack<'a>(folio: UnreadFolio<'a>, from: &Object) -> Load<'a> {
        folio.load_exclusively(|entry, contents| {
            #[cfg(taken_then_failed)]
            drop::<Entry>(*entry); //~[taken_then_failed] E0507
            #[cfg(taken_then_failed)]
            return None;
            #[cfg(control)]
            let _: &Entry = entry;
            fill(from, contents).ok()
        })
    }
}
