// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that is being read is the I/O's, which unlocks it at any time: what was found for its slot
// isn't to be kept.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");
use kernel::mm::swap::NewFolio;

pub fn attack(folio: WritebackFolio) -> Option<NewFolio> {
    let mut kept = None;
    let written = folio.write(|slots, _| {
        let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?; //~[attack] E0521
        #[cfg(attack)]
        kept.replace(slot);
        #[cfg(control)]
        kept.replace(slot.get().0);
        Err::<Found<'_>, Error>(EINVAL)
    });
    let folio = written.err().map(|(folio, _)| folio);
    drop(kept);
    folio
}
