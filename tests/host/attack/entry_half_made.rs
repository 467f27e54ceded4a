// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is published first and initialised later, "while it's already in xarray".
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::slab::Vacant;

pub(crate) fn attack(
    vacant: Vacant<entry::Entry>,
    making: &mut entry::Making,
    object: compress::Object,
) -> entry::StoredEntry {
    #[cfg(attack)]
    return vacant.write(making.entry()); //~[attack] E0061
    vacant.write(making.entry(object))
}
