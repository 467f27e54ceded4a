// SPDX-License-Identifier: GPL-2.0-or-later
// Not harmless, and not excluded: a load that says of a slot which has an entry that there is none. C
// reads the device then, which has an older page. And a folio that is filled from an object other
// than the one that is found for its slot: the brands tie both to the folio, not to each other. Tests
// in the kernel compare every page.
//@ check-pass
#![forbid(unsafe_code)]
include!("../fill.in");

pub fn deny(folio: UnreadFolio<'_>) -> Load<'_, Error> {
    folio.load_exclusively(|slots, _| {
        let _ = slots.occupied::<Note>(0);
        Ok(None::<Found<'_>>)
    })
}

pub fn fill_from<'a, P: HasPool>(folio: UnreadFolio<'a>, other: &Stored<P>) -> Load<'a, Error> {
    folio.load_exclusively(|slots, contents| {
        let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?;
        Ok::<Option<Found<'_>>, Error>(Some((fill(other, contents)?, slot)))
    })
}
