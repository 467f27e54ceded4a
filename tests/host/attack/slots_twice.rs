// SPDX-License-Identifier: GPL-2.0-or-later
// Two views of one folio: an entry from the first may be freed through the second.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::folio::CachedFolio;

pub fn attack(folio: &mut CachedFolio<'_>) -> usize {
    let one = folio.slots::<Note>();
    #[cfg(control)]
    drop(one);
    let two = folio.slots::<Note>(); //~[attack] E0499
    #[cfg(attack)]
    drop(one);
    two.len()
}
