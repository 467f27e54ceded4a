// SPDX-License-Identifier: GPL-2.0-or-later
// Inside a load or a writeback, the page that nobody has filled yet is read: old memory is stored, and
// comes to a process as a page of its own.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Error> {
    folio.load_exclusively(|slots, contents| {
        let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        let (_entry, page) = slots.get(0).ok_or(EINVAL)?; //~[attack] E0599
        #[cfg(attack)]
        let (_entry, page) = slots.slots::<Note>().get(0).ok_or(EINVAL)?; //~[attack] E0599
        Ok::<Option<Found<'_>>, Error>(Some((fill(from, contents)?, slot)))
    })
}
