// SPDX-License-Identifier: GPL-2.0-or-later
// An entry is looked at without a lock by who has its folio, and by a walk over its list: what
// isn't for two at a time can't be in one.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use core::cell::Cell;
use kernel::{alloc::KBox, impl_kept, sync::atomic::Atomic};

#[cfg(attack)]
pub struct Entry(Cell<u32>);
#[cfg(control)]
pub struct Entry(Atomic<u32>);

impl_kept! {
    impl Kept for Entry { owned: KBox<Entry>, name: c"attack" } //~[attack] E0277
}
