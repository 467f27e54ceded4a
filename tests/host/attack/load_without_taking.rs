// SPDX-License-Identifier: GPL-2.0-or-later
// The page is filled after the load has ended, and its entry stays: a second
// copy, stale after the first write.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Note> {
    let mut kept = None;
    let load = folio.load_exclusively::<Note>(|_, contents| {
        #[cfg(attack)]
        kept.replace(contents); //~[attack] E0521
        #[cfg(control)]
        kept.replace(fill(from, contents).is_ok());
        Err(EIO)
    });
    #[cfg(attack)]
    let _ = kept.map(|contents| fill(from, contents));
    load
}
