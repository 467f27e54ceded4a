// SPDX-License-Identifier: GPL-2.0-or-later
// A callback that has dropped the list's lock retakes it, and the walk continues over a list that
// has changed (CVE-2025-71181 was a wrong relock).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::list_lru::{Next, Unlocked};

pub fn attack(unlocked: Unlocked<'_>) -> Next<'_> {
    #[cfg(attack)]
    return unlocked.rotate(); //~[attack] E0599
    unlocked.restart()
}
