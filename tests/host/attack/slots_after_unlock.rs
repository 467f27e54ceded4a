// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_load() unlocks the folio: an entry of it that is touched after that may be gone
// (docs/races.md: 10).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack(folio: UnreadFolio<'_>) -> Load<'_, Error> {
    let mut kept = None;
    let load = folio.load_exclusively(|slots, _| {
        #[cfg(attack)]
        kept.replace(slots); //~[attack] E0521
        #[cfg(control)]
        kept.replace(slots.occupied::<Note>(0).is_some());
        Ok(None::<Found<'_>>)
    });
    drop(kept);
    load
}
