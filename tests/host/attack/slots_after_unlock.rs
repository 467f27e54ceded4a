// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_load() unlocks the folio: an entry of it that is touched after that may be gone
// (docs/races.md: 10).
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
        let slots = folio.slots(trees); //~[attack] E0521
        #[cfg(attack)]
        kept.replace(slots);
        #[cfg(control)]
        kept.replace(slots.len());
        Ok(None::<(Filled<'_>, Taken<'_, KBox<u32>>)>)
    });
    drop(kept);
    load
}
