// SPDX-License-Identifier: GPL-2.0-or-later
// What was kept for freed slots is freed twice: by a view of them that was made before the slots
// were emptied.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::swap_slots::{FilledSlots, FreedSlots};

pub fn attack(slots: FreedSlots<'_, Note>) {
    let Some(filled) = slots.filled() else { return };
    #[cfg(attack)]
    let again = slots.filled(); //~[attack] E0382
    filled.take_each(drop);
    #[cfg(attack)]
    filled.take_each(drop); //~[attack] E0382
}

pub fn and(filled: FilledSlots<'_, Note>, again: FilledSlots<'_, Note>) {
    #[cfg(attack)]
    filled.take_each(|_| filled.take_each(drop)); //~[attack] E0507
                                                  //~[attack]^ E0382
    again.take_each(drop);
}
