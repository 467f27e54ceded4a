// SPDX-License-Identifier: GPL-2.0-or-later
// A type's trees are implemented by the policy, so that they may differ between calls.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::swap_slots::{Kept, SlotTrees};

pub struct Other;
static TREES: SlotTrees<Note> = SlotTrees::new(c"attack");
#[cfg(attack)]
static OTHERS: SlotTrees<Other> = SlotTrees::new(c"attack");

#[cfg(attack)]
impl Kept for Other {
    //~[attack]^ E0200
    type Owned = KBox<Other>;

    fn trees() -> &'static SlotTrees<Self> {
        &OTHERS
    }
}

pub fn attack() -> bool {
    core::ptr::eq(Note::trees(), &TREES)
}
