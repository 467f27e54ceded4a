// SPDX-License-Identifier: GPL-2.0-or-later
// The entry is erased from the tree first, then looked for there.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack<'f>(folio: &'f mut CachedFolio<'f>, trees: &'f SlotTrees<KBox<u32>>) -> Option<u32> {
    let slot = folio.slots(trees).occupied(0)?;
    #[cfg(attack)]
    drop(slot.take());
    let number = *slot.get(); //~[attack] E0382
    #[cfg(control)]
    drop(slot.take());
    Some(number)
}
