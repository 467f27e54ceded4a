// SPDX-License-Identifier: GPL-2.0-or-later
// What another subsystem keeps for the slots is emptied.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::mm::folio::CachedFolio;
use kernel::{alloc::KBox, mm::swap::SlotTrees};

static OTHERS: SlotTrees<KBox<u32>> = SlotTrees::new(c"attack");

pub(crate) fn attack<'f>(folio: &'f mut CachedFolio<'f>) -> store::Store<'f> {
    #[cfg(attack)]
    return store::Store::Refused(folio.slots(&OTHERS).clear()); //~[attack] E0308
    #[cfg(control)]
    let _ = &OTHERS;
    #[cfg(control)]
    store::Store::Refused(folio.slots(&entry::TREES).clear())
}
