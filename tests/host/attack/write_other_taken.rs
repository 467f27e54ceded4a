// SPDX-License-Identifier: GPL-2.0-or-later
// Another slot was emptied than the one that is written: its old entry stays, to be written over
// newer data some day. What is taken is not for the policy to say.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");
use kernel::mm::folio::CachedFolio;

pub fn attack<'f, P: HasPool>(
    one: WritebackFolio,
    two: &'f mut CachedFolio<'f>,
    from: &Stored<P>,
) -> Result {
    let other = two.slots::<Note>().occupied(0).ok_or(ENOENT)?;
    let written = one.write::<Note>(|_, contents| {
        let filled = fill(from, contents)?;
        #[cfg(attack)]
        return Ok((filled, other)); //~[attack] E0308
        #[cfg(control)]
        Ok(filled)
    });
    drop(other);
    written.map_err(|(_, error)| error)
}
