// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_load() fills the first page of a large folio, and says that all of it was: "large folios
// should not be swapped in". There is no content for one.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Error> {
    folio.load_exclusively(|slots, contents| {
        let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        let filled = from.read(|view| view.copy_to(contents))?; //~[attack] E0308
        #[cfg(control)]
        let filled = fill(from, contents)?;
        Ok::<Option<Found<'_>>, Error>(Some((filled, slot)))
    })
}
