// SPDX-License-Identifier: GPL-2.0-or-later
// The filled folio isn't the one that is written: stale memory goes to the
// device.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<P: HasPool>(one: WritebackFolio, two: WritebackFolio, from: &Stored<P>) -> Result {
    let written = one.write::<Note>(|_, first| {
        #[cfg(attack)]
        let _ = two.write::<Note>(|_, _| fill(from, first)); //~[attack] ERROR: lifetime may not live long enough
                                                             //~[attack]^ ERROR: lifetime may not live long enough
        #[cfg(attack)]
        return Err(EINVAL);
        #[cfg(control)]
        fill(from, first)
    });
    written.map_err(|(_, error)| error)
}
