// SPDX-License-Identifier: GPL-2.0-or-later
// A folio whose lock is forgotten stays locked, in the swap cache and with its references: it isn't
// freed, nor are its slots, nor is its device removed. Tasks that need the page wait forever, as
// does swapoff; no task reads another's data. (docs/races.md: 2 is such a bug in C.) Forgetting a
// folio that is being loaded isn't enough to end zswap_load(): the policy would have to return an
// outcome, and can't: see load_made_up.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem::forget;
use kernel::{
    bindings::folio,
    mm::{
        swap::{NewFolio, UnreadFolio, WritebackFolio, ZeroMarked},
        swap_cache::{Charged, Entered, Splittable},
    },
};

pub fn loading(folio: UnreadFolio<'_>) {
    forget(folio);
}

pub fn new(folio: NewFolio) {
    forget(folio);
}

pub fn writing_back(folio: WritebackFolio, zero: ZeroMarked) {
    forget((folio, zero));
}

pub fn handed_to_c(new: NewFolio) -> *mut folio {
    new.into_c_locked()
}

pub fn steps(entered: Entered<'_>, charged: Charged<'_>, splittable: Splittable<'_>) {
    forget((entered, charged, splittable));
}
