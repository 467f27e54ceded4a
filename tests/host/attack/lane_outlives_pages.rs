// SPDX-License-Identifier: GPL-2.0-or-later
// A folio is released while hardware still reads its pages.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{crypto::acompress::Lanes, mm::folio::CachedFolio, mm::swap_slots::Kept, prelude::*};

pub fn attack<'f, T: Kept>(mut lanes: Lanes<'_>, folio: &'f mut CachedFolio<'f>) -> Result {
    let slots = folio.slots::<T>();
    let pages = (0..slots.len()).map_while(|index| Some(slots.get(index)?.1));
    #[cfg(control)]
    let done = lanes.compress_each(pages, |_, _| Ok(()));
    #[cfg(attack)]
    let done = lanes.compress_each(pages, |_, _| {
        //~[attack]^ E0505
        let _ = slots.clear(drop); //~[attack] E0507
        Ok(())
    });
    done
}
