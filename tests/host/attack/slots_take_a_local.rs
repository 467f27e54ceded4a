// SPDX-License-Identifier: GPL-2.0-or-later
// What is kept for a slot stays after the caller has returned: slots of `&'static u8` that could be
// taken for those of `&'a u8` would keep a reference to what is gone.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{mm::swap::Slots, prelude::*};

type Refs<'r> = KBox<&'r u8>;
#[cfg(control)]
type Any<'r> = Refs<'static>;
#[cfg(attack)]
type Any<'r> = Refs<'r>;

fn keep<'r>(mut slots: Slots<'_, '_, Any<'r>>, value: Any<'r>) -> Result {
    slots.replace(0, value, GFP_KERNEL)?;
    Ok(())
}

pub fn attack<'r>(slots: Slots<'_, '_, Refs<'static>>, local: &'r u8) -> Result {
    #[cfg(control)]
    let local = {
        let _ = local;
        &7
    };
    keep(slots, KBox::new(local, GFP_KERNEL)?) //~[attack] E0521
}
