// SPDX-License-Identifier: GPL-2.0-or-later
// The cleared slots belong to another folio than the refused one.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::mm::folio::CachedFolio;

pub(crate) fn attack<'a, 'b>(
    one: &'a mut CachedFolio<'a>,
    other: &'b mut CachedFolio<'b>,
) -> store::Store<'a> {
    #[cfg(attack)]
    let one = other;
    Err(one.slots::<entry::Entry>().clear(drop)) //~[attack] ERROR: lifetime may not live long enough
                                                 //~[attack]^ ERROR: lifetime may not live long enough
}
