// SPDX-License-Identifier: GPL-2.0-or-later
// zswap_pool_get(): "the caller must already have a reference". A Ref comes only
// from a list or from another Ref.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::sync::generations::Ref;

pub fn attack<T: Send + Sync>(object: &T, pool: &Ref<T>) -> Ref<T> {
    #[cfg(attack)]
    return Ref::from(object); //~[attack] E0308
    let _ = object;
    pool.clone()
}
