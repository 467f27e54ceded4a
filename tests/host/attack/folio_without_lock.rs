// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that a lookup has found may have left its slot: C's callers must lock it and recheck
// (docs/races.md: 41). A reference gives no access to the slots.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::{
    mm::folio::{CachedFolio, Folio},
    sync::aref::ARef,
};

pub fn attack(found: ARef<Folio>, mine: &mut CachedFolio<'_>) -> bool {
    #[cfg(attack)]
    let mine = found;
    let slots = mine.slots::<Note>(); //~[attack] E0599
    slots.occupied(0).is_some()
}
