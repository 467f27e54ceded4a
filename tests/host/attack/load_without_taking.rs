// SPDX-License-Identifier: GPL-2.0-or-later
// The page is loaded, and its entry stays: a second copy, and the old one after the first write.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Error> {
    folio.load_exclusively(|slots, contents| {
        let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        let slot = drop(slot);
        Ok::<Option<Found<'_>>, Error>(Some((fill(from, contents)?, slot))) //~[attack] E0308
    })
}
