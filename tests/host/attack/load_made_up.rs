// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_load() returns 0, and the folio isn't filled, or still locked: who waits for it waits for
// ever.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    error::Error,
    mm::swap::{Completed, Load, UnreadFolio},
};

pub fn attack<'a>(folio: UnreadFolio<'a>, how: Option<Completed<'a>>) -> Load<'a, Error> {
    let _ = how;
    #[cfg(attack)]
    core::mem::forget(folio);
    #[cfg(attack)]
    return Load::Loaded(()); //~[attack] E0308
    #[cfg(control)]
    Load::NotStored(folio)
}
