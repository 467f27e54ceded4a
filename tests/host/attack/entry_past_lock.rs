// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is remembered beyond the time for which the folio's lock keeps it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::{Filled, Load, UnreadFolio},
        swap::{SlotTrees, Taken},
    },
    prelude::*,
};

pub fn attack<'a>(folio: UnreadFolio<'a>, trees: &'static SlotTrees<KBox<u32>>) -> Load<'a, Error> {
    let mut kept = None;
    let load = folio.load_exclusively(|folio, _| {
        let slot = folio.slots(trees).occupied(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        kept.replace(slot.get()); //~[attack] E0521
                                  //~[attack]^ E0597
        #[cfg(control)]
        kept.replace(*slot.get());
        Ok(None::<(Filled<'_>, Taken<'_, KBox<u32>>)>)
    });
    drop(kept);
    load
}
