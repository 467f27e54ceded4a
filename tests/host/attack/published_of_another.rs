// SPDX-License-Identifier: GPL-2.0-or-later
// A folio is stored, and another one is reported as stored: C drops the only copy of its pages.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::mm::swap_slots::Published;

pub(crate) fn attack<'a, 'b>(
    ours: Published<'a, entry::Entry>,
    others: Published<'b, entry::Entry>,
) -> store::Store<'a> {
    #[cfg(attack)]
    let ours = others;
    Ok(ours) //~[attack] ERROR: lifetime may not live long enough
             //~[attack]^ ERROR: lifetime may not live long enough
}
