// SPDX-License-Identifier: GPL-2.0-or-later
// The policy keeps a slot beyond the call, when its device is no longer kept.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{bindings, mm::swap_cache::Slot};

#[cfg(control)]
fn policy(_: Slot<'_>) {}
#[cfg(attack)]
fn policy(_: Slot<'static>) {}

/// # Safety
///
/// As for the C ABI of the kernel.
#[allow(unsafe_code)]
pub unsafe fn exports(entry: bindings::swp_entry_t) {
    // SAFETY: By the requirement.
    unsafe { Slot::with_raw(entry, |slot| policy(slot)) } //~[attack] E0521
}
