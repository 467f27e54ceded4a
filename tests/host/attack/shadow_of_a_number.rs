// SPDX-License-Identifier: GPL-2.0-or-later
// An invalid shadow, such as null, is written into a slot: the workingset code decodes it as an
// eviction, and looks up its node.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::swap_table::Shadow;

pub fn attack() -> Shadow {
    #[cfg(attack)]
    return Shadow(0); //~[attack] E0423
    Shadow::NONE
}
