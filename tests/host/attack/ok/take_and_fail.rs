// SPDX-License-Identifier: GPL-2.0-or-later
// Not harmless, and not excluded: a load that has all it needs, takes the entry, and then fails.
// The page is lost, and the slot reads what the device has, which is old. The types see to it that
// bytes are read before they are taken, and that a failure to read leaves them (taken_content,
// take_then_look); not that nothing fails after. That is the mutant failed-load-takes-the-entry,
// which a test in the kernel catches.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{
        folio::{Filled, Load, UnreadFolio},
        swap::{SlotTrees, Taken},
    },
    prelude::*,
};

pub fn lose<'a>(folio: UnreadFolio<'a>, trees: &'static SlotTrees<KBox<u32>>) -> Load<'a, Error> {
    folio.load_exclusively(
        |folio, _| -> Result<Option<(Filled<'_>, Taken<'_, KBox<u32>>)>> {
            let slot = folio.slots(trees).occupied(0).ok_or(ENOENT)?;
            drop(slot.take());
            Err(EIO)
        },
    )
}
