// SPDX-License-Identifier: GPL-2.0-or-later
// The entry is taken out of its tree first, then decompressed: if that fails, the slot reads what
// is on the device, which is old. What was taken can't be looked into: it must be read before.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::CachedFolio,
        swap::{SlotTrees, Taken},
    },
    prelude::*,
};

pub fn attack<'f>(
    folio: &'f mut CachedFolio<'f>,
    trees: &'f SlotTrees<KBox<u32>>,
) -> Option<(u32, Taken<'f, KBox<u32>>)> {
    let slot = folio.slots(trees).occupied(0)?;
    #[cfg(control)]
    let number = *slot.get();
    let taken = slot.take();
    #[cfg(attack)]
    let number = *taken.0; //~[attack] E0616
    Some((number, taken))
}
