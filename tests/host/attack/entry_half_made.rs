// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is published first and initialised later, "while it's already in xarray".
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::{mm::swapops::SwapEntry, slab::Vacant};

pub(crate) fn attack(
    vacant: Vacant<entry::Entry>,
    swap: SwapEntry,
    object: compress::Object,
) -> entry::StoredEntry {
    #[cfg(attack)]
    return vacant.write(entry::Entry::new(swap)); //~[attack] E0061
    vacant.write(entry::Entry::new(swap, object))
}
