// SPDX-License-Identifier: GPL-2.0-or-later
// A load has all that it needs, takes the entry, and then fails: the page is lost, and the slot reads
// what the device has, which is old. Only the abstraction takes, when nothing can fail any more.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Error> {
    folio.load_exclusively(|slots, contents| {
        let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        drop(slot.take()); //~[attack] E0624
        #[cfg(attack)]
        return Err(EIO);
        Ok::<Option<Found<'_>>, Error>(Some((fill(from, contents)?, slot)))
    })
}
