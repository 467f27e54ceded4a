// SPDX-License-Identifier: GPL-2.0-or-later
// A slot beyond those of the folio belongs to another owner. A slot is named by its index only,
// which is bounds-checked; the policy can't name the array.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::folio::CachedFolio;

pub fn attack(folio: &mut CachedFolio<'_>) -> bool {
    let slots = folio.slots::<Note>();
    #[cfg(attack)]
    let tree = slots.tree; //~[attack] E0616
    #[cfg(attack)]
    return tree.is_some();
    #[cfg(control)]
    slots.occupied(usize::MAX).is_none()
}
