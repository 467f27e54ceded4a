// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that is being read is the I/O's, which unlocks it at any time.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::Folio,
        swap::{NewFolio, Reads, SlotTrees},
    },
    prelude::*,
    sync::aref::ARef,
};

pub fn attack(
    mut folio: NewFolio,
    reads: &mut Reads,
    trees: &'static SlotTrees<KBox<u32>>,
) -> ARef<Folio> {
    let mut kept = None;
    folio.with_cached(|folio| {
        let slots = folio.slots(trees); //~[attack] E0521
        #[cfg(attack)]
        kept.replace(slots);
        #[cfg(control)]
        kept.replace(slots.len());
    });
    let folio = folio.read(reads);
    drop(kept);
    folio
}
