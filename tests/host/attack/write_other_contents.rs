// SPDX-License-Identifier: GPL-2.0-or-later
// Another folio was filled than the one that is written: what was in memory before goes to the
// device.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<P: HasPool>(
    one: NewFolio,
    two: NewFolio,
    trees: &'static Trees,
    from: &Stored<P>,
) -> Result {
    one.write_exclusively(|one, first| {
        let slot = one.slots(trees).occupied(0).ok_or(ENOENT)?;
        #[cfg(attack)]
        two.write_exclusively(|two, _| {
            let slot = two.slots(trees).occupied(0).ok_or(ENOENT)?;
            Ok::<_, Error>((fill(from, first)?, slot.take())) //~[attack] ERROR: lifetime may not live long enough
                                                              //~[attack]^ ERROR: lifetime may not live long enough
        })?;
        #[cfg(attack)]
        return Err::<Found<'_>, Error>(EINVAL);
        #[cfg(control)]
        Ok((fill(from, first)?, slot.take()))
    })
}
