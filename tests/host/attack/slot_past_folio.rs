// SPDX-License-Identifier: GPL-2.0-or-later
// A slot beyond those of the folio is somebody else's. There is no way to name it but by an index,
// which is compared; the array behind has no name.
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
