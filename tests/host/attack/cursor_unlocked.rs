// SPDX-License-Identifier: GPL-2.0-or-later
// "The lock protects zswap_next_shrink", but nothing in C enforces that (docs/races.md: 14).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{mm::memcontrol::Cursor, sync::SpinLock};

pub fn attack(cursor: &SpinLock<Cursor>) {
    #[cfg(attack)]
    cursor.advance(); //~[attack] E0599
    cursor.lock().advance();
}
