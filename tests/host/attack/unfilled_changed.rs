// SPDX-License-Identifier: GPL-2.0-or-later
// Inside a load or a writeback, something is put into the slot, or all slots are emptied, and the load
// then fails: the page is lost.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Error> {
    folio.load_exclusively(|slots, contents| {
        let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        slots.replace(0, KBox::new(Note(1), GFP_KERNEL)?, GFP_KERNEL)?; //~[attack] E0599
        #[cfg(attack)]
        let _ = slots.clear(); //~[attack] E0599
        Ok::<Option<Found<'_>>, Error>(Some((fill(from, contents)?, slot)))
    })
}
