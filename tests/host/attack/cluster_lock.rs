// SPDX-License-Identifier: GPL-2.0-or-later
// A cluster is locked, and another one's swap-table entries are changed: "caller must lock the
// cluster". The policy can't name the lock.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::swap_cache;

pub fn attack(slot: swap_cache::Slot<'_>) -> bool {
    #[cfg(attack)]
    let lock = swap_cache::Locked::new(slot); //~[attack] E0603
                                              //~[attack]^ E0624
    #[cfg(control)]
    let lock = slot;
    let _ = lock;
    slot.is_vacant(0).is_ok()
}
