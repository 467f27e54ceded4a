// SPDX-License-Identifier: GPL-2.0-or-later
// Two entries borrowed from one view: freeing one may free the
// other, if both are of the same slot.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::folio::CachedFolio;

pub fn attack(folio: &mut CachedFolio<'_>) -> bool {
    let slots = folio.slots::<Note>();
    let one = slots.occupied(0);
    #[cfg(attack)]
    let two = slots.occupied(0); //~[attack] E0382
    #[cfg(control)]
    drop(one);
    #[cfg(control)]
    let two = folio.slots::<Note>().occupied(0);
    #[cfg(attack)]
    drop(one);
    two.is_some()
}
