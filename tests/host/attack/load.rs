// SPDX-License-Identifier: GPL-2.0-or-later
// Loading a folio from its entry: the core calls the policy to fill it.
//@[control] check-pass
#![deny(unsafe_code)]

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(dead_code, unsafe_code, unused_imports)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

include!("fill.in");

// A failed load returns -ENOENT, after the folio was unlocked: C takes it as still locked, reads the device's older data
// into it, and unlocks it, which another task may have locked by then. Only zswap_core does the lookup.
#[cfg(any(control, load_fails_as_not_stored))]
pub mod load_fails_as_not_stored {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        load(folio, |_, contents| {
            #[cfg(load_fails_as_not_stored)]
            return Err(ENOENT); //~[load_fails_as_not_stored] E0308
            #[cfg(control)]
            fill(from, contents).ok()
        })
    }
}

// zswap_load() returns 0, but the folio isn't filled.
#[cfg(any(control, load_made_up))]
pub mod load_made_up {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        load(folio, |_, contents| {
            #[cfg(load_made_up)]
            return Some(()); //~[load_made_up] E0308
            #[cfg(load_made_up)]
            return Some(Uptodate(core::marker::PhantomData)); //~[load_made_up] E0423
            #[cfg(control)]
            fill(from, contents).ok()
        })
    }
}

// What was filled is another folio: this one passes for filled.
#[cfg(any(control, load_of_other_folio))]
pub mod load_of_other_folio {
    use super::*;

    pub(crate) fn attack(
        (one, other): (*mut bindings::folio, *mut bindings::folio),
        (from, to): (&Object, fn(NotUptodate<'_>)),
    ) -> Result {
        load(one, |_, ours| {
            #[cfg(load_of_other_folio)]
            let _ = load(other, |_, theirs| {
                to(theirs);
                fill(from, ours).ok() //~[load_of_other_folio] ERROR: lifetime may not live long enough
                                      //~[load_of_other_folio]^ ERROR: lifetime may not live long enough
            });
            #[cfg(load_of_other_folio)]
            return None;
            #[cfg(control)]
            let _ = (other, to);
            #[cfg(control)]
            fill(from, ours).ok()
        })
    }
}

// folio_mark_uptodate() on a page that was never written: the process sees stale memory.
#[cfg(any(control, load_without_filling))]
pub mod load_without_filling {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        load(folio, |_, contents| {
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

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        let mut kept = None;
        let loaded = load(folio, |_, contents| {
            #[cfg(load_without_taking)]
            kept.replace(contents); //~[load_without_taking] E0521
            #[cfg(control)]
            kept.replace(fill(from, contents).is_ok());
            None
        });
        #[cfg(load_without_taking)]
        let _ = kept.map(|contents| fill(from, contents));
        loaded
    }
}

// A load takes the entry, and then fails: the page is lost, and the slot reads as the device's
// stale contents. Only zswap_core takes entries, when nothing can fail any more.
#[cfg(any(control, taken_then_failed))]
pub mod taken_then_failed {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        load(folio, |entry, contents| {
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
