// SPDX-License-Identifier: GPL-2.0-or-later
// swap_zswap_tree() finds a tree for any entry, whoever has it: with a wrong one, another device's.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, swap::SlotTrees},
    prelude::*,
};

pub fn attack(folio: &mut CachedFolio<'_>, trees: &SlotTrees<KBox<u32>>) -> bool {
    let entry = folio.swap();
    #[cfg(attack)]
    let found = trees.tree(entry).is_some(); //~[attack] E0624
    #[cfg(control)]
    let found = entry == folio.swap() && folio.slots(trees).occupied(0).is_some();
    found
}
