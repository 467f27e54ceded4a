// SPDX-License-Identifier: GPL-2.0-or-later
// The emptied slot isn't the one that is written: its old entry stays, and its writeback will
// overwrite newer data. The policy can't choose the entry that is taken.
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
