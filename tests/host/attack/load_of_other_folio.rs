// SPDX-License-Identifier: GPL-2.0-or-later
// What came of one folio is said of another, which is still locked.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    error::Error,
    mm::swap::{Load, UnreadFolio},
};

pub fn attack<'a, 'b>(one: UnreadFolio<'a>, other: Load<'b, Error>) -> Load<'a, Error> {
    #[cfg(attack)]
    core::mem::forget(one);
    #[cfg(attack)]
    return other; //~[attack] ERROR: lifetime may not live long enough
                  //~[attack]^ ERROR: lifetime may not live long enough
    #[cfg(control)]
    let _ = other;
    #[cfg(control)]
    Load::NotStored(one)
}
