// SPDX-License-Identifier: GPL-2.0-or-later
// An allocation by a memory policy after mpol_cond_put().
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    mempolicy::VmaPolicy,
    swap_cache::{FreshFolio, Origin},
};

pub fn attack(policy: VmaPolicy<'_>) -> Option<FreshFolio> {
    let origin: Origin<'_> = policy.origin();
    #[cfg(attack)]
    drop(policy); //~[attack] E0505
    FreshFolio::alloc(kernel::alloc::flags::GFP_KERNEL, 0, &origin)
}
