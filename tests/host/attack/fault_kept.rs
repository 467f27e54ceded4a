// SPDX-License-Identifier: GPL-2.0-or-later
// The policy keeps a fault beyond its end, when its VMA may be gone.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{bindings, mm::swap_cache::Fault};

#[cfg(control)]
fn policy(_: Fault<'_>) {}
#[cfg(attack)]
fn policy(_: Fault<'static>) {}

/// # Safety
///
/// As for the C ABI of the kernel.
#[allow(unsafe_code)]
pub unsafe fn exports(vmf: core::ptr::NonNull<bindings::vm_fault>) {
    // SAFETY: By the requirement.
    unsafe { Fault::with_raw(vmf, |fault| policy(fault)) } //~[attack] E0521
}
