// SPDX-License-Identifier: GPL-2.0-or-later
// Another folio was filled than the one that is written: what was in memory before goes to the
// device.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<P: HasPool>(one: WritebackFolio, two: WritebackFolio, from: &Stored<P>) -> Result {
    let written = one.write(|slots, first| {
        let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        let _ = two.write(|slots, _| {
            let slot = slots.occupied::<Note>(0).ok_or(ENOENT)?;
            Ok::<_, Error>((fill(from, first)?, slot)) //~[attack] ERROR: lifetime may not live long enough
                                                       //~[attack]^ ERROR: lifetime may not live long enough
        });
        #[cfg(attack)]
        return Err::<Found<'_>, Error>(EINVAL);
        #[cfg(control)]
        Ok::<Found<'_>, Error>((fill(from, first)?, slot))
    });
    written.map_err(|(_, error)| error)
}
