// SPDX-License-Identifier: GPL-2.0-or-later
// The pool is used after zswap_pool_put().
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::sync::generations::Ref;

pub fn attack<T: Send + Sync + Copy>(pool: Ref<T>) -> T {
    let object: &T = &pool;
    #[cfg(attack)]
    drop(pool); //~[attack] E0505
    *object
}
