// SPDX-License-Identifier: GPL-2.0-or-later
// swap_zswap_tree() finds a tree for any entry: for a wrong one, another device's tree.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
include!("note.in");
use kernel::mm::{folio::CachedFolio, swap_slots::Kept};

pub fn attack(folio: &mut CachedFolio<'_>) -> bool {
    let entry = folio.swap();
    #[cfg(attack)]
    let found = Note::trees().tree(entry).is_some(); //~[attack] E0624
    #[cfg(control)]
    let found = entry == folio.swap() && folio.slots::<Note>().occupied(0).is_some();
    let _ = Note::trees();
    found
}
