// SPDX-License-Identifier: GPL-2.0-or-later
// Another slot was emptied than the one that is written: its old entry stays, to be written over
// newer data some day.
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
        two.write_exclusively(|_, second| Ok::<_, Error>((fill(from, second)?, slot.take())))?; //~[attack] ERROR: lifetime may not live long enough
                                                                                                //~[attack]^ ERROR: lifetime may not live long enough
        #[cfg(attack)]
        return Err::<Found<'_>, Error>(EINVAL);
        #[cfg(control)]
        Ok((fill(from, first)?, slot.take()))
    })
}
