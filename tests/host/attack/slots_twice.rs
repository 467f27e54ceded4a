// SPDX-License-Identifier: GPL-2.0-or-later
// C looks an entry up as often as it likes: what was found first may be freed when it is used.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack(folio: &mut CachedFolio<'_>, trees: &SlotTrees<KBox<u32>>) -> usize {
    let one = folio.slots(trees);
    #[cfg(control)]
    drop(one);
    let two = folio.slots(trees); //~[attack] E0499
    #[cfg(attack)]
    drop(one);
    two.len()
}
