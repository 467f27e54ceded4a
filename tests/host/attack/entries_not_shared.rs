// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is looked at without a lock by who has its folio, and by a walk over its list: what
// isn't for two at a time can't be in one.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use core::cell::Cell;
use kernel::{alloc::KBox, mm::swap::SlotTrees, sync::atomic::Atomic};

#[cfg(attack)]
pub static TREES: SlotTrees<KBox<Cell<u32>>> = SlotTrees::new(c"attack"); //~[attack] E0277
#[cfg(control)]
pub static TREES: SlotTrees<KBox<Atomic<u32>>> = SlotTrees::new(c"attack");
