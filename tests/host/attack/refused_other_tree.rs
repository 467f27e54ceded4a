// SPDX-License-Identifier: GPL-2.0-or-later
// Another subsystem's data for the slots is cleared.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
include!("note.in");
use kernel::mm::folio::CachedFolio;

pub(crate) fn attack<'f>(folio: &'f mut CachedFolio<'f>) -> store::Store<'f> {
    #[cfg(attack)]
    return Err(folio.slots::<Note>().clear(drop)); //~[attack] E0308
    #[cfg(control)]
    Err(folio.slots::<entry::Entry>().clear(drop))
}
