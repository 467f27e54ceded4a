// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_entry_free(), then a look at the entry for its statistics: a use after free.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack<'f>(folio: &'f mut CachedFolio<'f>, trees: &'f SlotTrees<KBox<u32>>) -> Option<u32> {
    let slot = folio.slots(trees).occupied(0)?;
    let entry = slot.get();
    #[cfg(control)]
    let number = *entry;
    drop(slot.take()); //~[attack] E0505
    #[cfg(attack)]
    let number = *entry;
    Some(number)
}
