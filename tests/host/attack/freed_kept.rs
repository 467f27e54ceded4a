// SPDX-License-Identifier: GPL-2.0-or-later
// The slots that were freed are emptied later, without the cluster's lock, when they have a new
// user's page.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("note.in");
use kernel::{
    bindings,
    mm::swap_slots::{FilledSlots, FreedSlots},
};

#[cfg(control)]
type Kept<'b> = Option<bool>;
#[cfg(attack)]
type Kept<'b> = Option<FilledSlots<'b, Note>>;

#[allow(unsafe_code)]
pub fn attack(entry: bindings::swp_entry_t) {
    let mut kept = None;
    // SAFETY: As in exports.rs.
    unsafe {
        FreedSlots::<Note>::with_raw(entry, 8, |slots| {
            #[cfg(control)]
            let slots = slots.have_nothing();
            kept = Some(slots); //~[attack] E0521
        })
    };
    let filled = |slots: FreedSlots<'_, Note>| {
        let filled = slots.filled();
        #[cfg(control)]
        let filled = filled.map(|filled| filled.take_each(drop));
        filled //~[attack] ERROR: lifetime may not live long enough
    };
    // SAFETY: As above.
    let _ = unsafe { FreedSlots::<Note>::with_raw(entry, 8, filled) };
}
