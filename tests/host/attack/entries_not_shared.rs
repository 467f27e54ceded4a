// SPDX-License-Identifier: GPL-2.0-or-later
// The task that has the entry's folio and a walk over its list access an entry concurrently,
// without a common lock: its type must be `Sync`.
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
