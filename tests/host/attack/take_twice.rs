// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is freed twice: by who loads it, and by who sees the slot freed meanwhile (docs/races.md:
// 10).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack<'f>(folio: &'f mut CachedFolio<'f>, trees: &'f SlotTrees<KBox<u32>>) -> Option<()> {
    let slot = folio.slots(trees).occupied(0)?;
    drop(slot.take());
    #[cfg(attack)]
    drop(slot.take()); //~[attack] E0382
    Some(())
}
