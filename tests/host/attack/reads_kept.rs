// SPDX-License-Identifier: GPL-2.0-or-later
// The policy keeps a C caller's I/O context, which is on that caller's stack.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{bindings, mm::swap::Reads};

#[cfg(control)]
fn policy(_: &mut Reads) {}
#[cfg(attack)]
fn policy(_: &'static mut Reads) {}

/// # Safety
///
/// As for the C ABI of the kernel.
#[allow(unsafe_code)]
pub unsafe fn exports(ctx: *mut bindings::swap_io_ctx) {
    // SAFETY: By the requirement.
    unsafe { Reads::with_raw(ctx, |reads| policy(reads)) } //~[attack] E0521
}
