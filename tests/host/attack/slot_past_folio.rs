// SPDX-License-Identifier: GPL-2.0-or-later
// A slot beyond those of the folio is somebody else's. There is no way to name it but by an index,
// which is compared; the array behind has no name.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack(folio: &mut CachedFolio<'_>, trees: &SlotTrees<KBox<u32>>) -> bool {
    let slots = folio.slots(trees);
    #[cfg(attack)]
    let tree = slots.tree; //~[attack] E0616
    #[cfg(attack)]
    return tree.is_some();
    #[cfg(control)]
    slots.occupied(usize::MAX).is_none()
}
