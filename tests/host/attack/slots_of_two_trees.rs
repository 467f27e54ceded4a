// SPDX-License-Identifier: GPL-2.0-or-later
// C may be inside a slot's data twice, by way of what another subsystem keeps for it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack(
    folio: &mut CachedFolio<'_>,
    one: &SlotTrees<KBox<u32>>,
    other: &SlotTrees<KBox<u8>>,
) -> usize {
    let one = folio.slots(one);
    #[cfg(control)]
    drop(one);
    let other = folio.slots(other); //~[attack] E0499
    #[cfg(attack)]
    drop(one);
    other.len()
}
