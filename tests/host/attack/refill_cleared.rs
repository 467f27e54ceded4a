// SPDX-License-Identifier: GPL-2.0-or-later
// A refused store has emptied the slots, and then one is filled again: left behind, it is written
// over newer data (docs/races.md: 12).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack<'f>(folio: &'f mut CachedFolio<'f>, trees: &'f SlotTrees<KBox<u32>>) -> Result {
    let cleared = folio.slots(trees).clear();
    #[cfg(attack)]
    let mut slots = folio.slots(trees); //~[attack] E0499
    #[cfg(attack)]
    drop(slots.replace(0, KBox::new(1, GFP_KERNEL)?, GFP_KERNEL));
    let _ = cleared;
    Ok(())
}
