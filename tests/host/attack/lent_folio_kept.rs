// SPDX-License-Identifier: GPL-2.0-or-later
// The policy keeps a folio beyond the call, when its caller may have put the reference.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{bindings, mm::folio::Folio};

#[cfg(control)]
fn policy(_: &Folio) {}
#[cfg(attack)]
fn policy(_: &'static Folio) {}

/// # Safety
///
/// As for the C ABI of the kernel.
#[allow(unsafe_code)]
pub unsafe fn exports(folio: *mut bindings::folio) {
    // SAFETY: By the requirement.
    unsafe { Folio::with_raw(folio, |folio| policy(folio)) } //~[attack] E0521
}
