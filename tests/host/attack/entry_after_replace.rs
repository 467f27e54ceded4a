// SPDX-License-Identifier: GPL-2.0-or-later
// An entry that was stored is replaced by a newer one, and used all the same.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack(folio: &mut CachedFolio<'_>, trees: &SlotTrees<KBox<u32>>) -> Result<u32> {
    let mut slots = folio.slots(trees);
    let (one, two) = (KBox::new(1, GFP_KERNEL)?, KBox::new(2, GFP_KERNEL)?);
    let (stored, old) = slots.replace(0, one, GFP_KERNEL).map_err(|_| ENOMEM)?;
    #[cfg(control)]
    let number = *stored;
    drop(slots.replace(0, two, GFP_KERNEL)); //~[attack] E0499
    #[cfg(attack)]
    let number = *stored;
    drop(old);
    Ok(number)
}
