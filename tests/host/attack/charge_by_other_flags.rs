// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that was allocated where sleeping isn't allowed is charged with flags that allow it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::swap_cache::{Charged, FreshFolio, Origin, Slot},
    prelude::*,
};

pub fn attack<'a>(slot: Slot<'a>, origin: &Origin<'_>) -> Result<Charged<'a>> {
    let entered = slot.add_folio(FreshFolio::alloc(GFP_NOWAIT, 0, origin).ok_or(ENOMEM)?)?;
    #[cfg(attack)]
    return entered.charge(origin, GFP_KERNEL); //~[attack] E0061
    entered.charge(origin)
}
