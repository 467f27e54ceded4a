// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_store() refuses, and an older entry stays: its writeback will
// overwrite newer data (docs/races.md: 12).
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::mm::folio::CachedFolio;

pub(crate) fn attack<'f>(folio: &'f mut CachedFolio<'f>) -> store::Store<'f> {
    #[cfg(attack)]
    return Err(()); //~[attack] E0308
    #[cfg(control)]
    Err(folio.slots::<entry::Entry>().clear(drop))
}
