// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is remembered beyond the time for which the folio's lock keeps it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack(folio: UnreadFolio<'_>) -> Load<'_, Error> {
    let mut kept = None;
    let load = folio.load_exclusively(|slots, _| {
        let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        kept.replace(slot.get()); //~[attack] E0521
                                  //~[attack]^ E0597
        #[cfg(control)]
        kept.replace(slot.get().0);
        Ok(None::<Found<'_>>)
    });
    drop(kept);
    load
}
