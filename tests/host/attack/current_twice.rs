// SPDX-License-Identifier: GPL-2.0-or-later
// A pool is put on the list twice: "this func expects the caller to always add
// the new pool as the current pool".
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::sync::generations::Detached;

pub fn attack<T: Send + Sync>(pool: Detached<T>) {
    #[cfg(attack)]
    pool.make_current();
    pool.make_current(); //~[attack] E0382
}
