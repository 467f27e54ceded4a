// SPDX-License-Identifier: GPL-2.0-or-later
// The policy keeps a VMA beyond the call, when the caller may have unlocked it.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{bindings, mm::virt::VmaRef};

#[cfg(control)]
fn policy(_: Option<&VmaRef>) {}
#[cfg(attack)]
fn policy(_: Option<&'static VmaRef>) {}

/// # Safety
///
/// As for the C ABI of the kernel.
#[allow(unsafe_code)]
pub unsafe fn exports(vma: *mut bindings::vm_area_struct) {
    // SAFETY: By the requirement.
    unsafe { VmaRef::with_raw(vma, |vma| policy(vma)) } //~[attack] E0521
}
