// SPDX-License-Identifier: GPL-2.0-or-later
// A shadow that isn't one, null among them, is written into a slot: workingset takes it for an
// eviction, and looks for its node.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::swap_table::Shadow;

pub fn attack() -> Shadow {
    #[cfg(attack)]
    return Shadow(0); //~[attack] E0423
    Shadow::NONE
}
