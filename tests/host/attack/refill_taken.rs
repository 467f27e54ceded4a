// SPDX-License-Identifier: GPL-2.0-or-later
// The only copy is in the folio now, which is dirty. An entry that is stored for the slot before
// the folio is unlocked would be a second one, and old as soon as somebody writes.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack<'f>(folio: &'f mut CachedFolio<'f>, trees: &'f SlotTrees<KBox<u32>>) -> Option<()> {
    drop(folio.slots(trees).occupied(0)?.take());
    #[cfg(attack)]
    let mut slots = folio.slots(trees); //~[attack] E0499
    #[cfg(attack)]
    drop(slots.replace(0, KBox::new(1, GFP_KERNEL).ok()?, GFP_KERNEL));
    Some(())
}
