// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_load() unlocks the folio: an entry of it that is used after that
// may be freed (docs/races.md: 10).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("fill.in");

pub fn attack<'a, P: HasPool>(folio: UnreadFolio<'a>, from: &Stored<P>) -> Load<'a, Note> {
    #[cfg(attack)]
    let cached = &*folio;
    let load = folio.load_exclusively::<Note>(|_, contents| fill(from, contents)); //~[attack] E0505
    #[cfg(attack)]
    let _ = cached.swap();
    #[cfg(attack)]
    let _ = folio.swap(); //~[attack] E0382
    load
}
