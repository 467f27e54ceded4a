// SPDX-License-Identifier: GPL-2.0-or-later
// A folio's pages are stored as objects of another type, of which zswap_load() knows nothing.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::mm::swap_slots::{Listed, Published};

pub(crate) fn attack<'f, T: Listed>(
    ours: Published<'f, entry::Entry>,
    others: Published<'f, T>,
) -> store::Store<'f> {
    #[cfg(attack)]
    let ours = others;
    Ok(ours) //~[attack] E0308
}
