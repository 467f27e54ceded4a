// SPDX-License-Identifier: GPL-2.0-or-later
// Writeback keeps an entry's address across the dropped lock, and dereferences it: "only when this
// is successful can the entry be dereferenced".
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");

pub(crate) fn attack(kept: entry::Identity, now: &entry::Entry) -> bool {
    #[cfg(attack)]
    let object = kept.object(); //~[attack] E0599
    #[cfg(attack)]
    let address = kept.address; //~[attack] E0616
    #[cfg(control)]
    let (object, address) = (now.object(), kept.swap());
    let (_, _) = (object, address);
    kept == now.identity()
}
