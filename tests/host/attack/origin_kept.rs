// SPDX-License-Identifier: GPL-2.0-or-later
// The policy keeps a fault's memory policy beyond the fault.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{bindings, mm::swap_cache::Origin};

#[cfg(control)]
fn policy(_: &Origin<'_>) {}
#[cfg(attack)]
fn policy(_: &Origin<'static>) {}

/// # Safety
///
/// As for the C ABI of the kernel.
#[allow(unsafe_code)]
pub unsafe fn exports((vmf, mpol): (*mut bindings::vm_fault, *mut bindings::mempolicy)) {
    // SAFETY: By the requirement.
    unsafe { Origin::with_raw(vmf, mpol, 0, |origin| policy(origin)) } //~[attack] E0521
}
