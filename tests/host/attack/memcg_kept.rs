// SPDX-License-Identifier: GPL-2.0-or-later
// The policy keeps a cgroup that C lends only during the call: `mem_cgroup_css_offline()` gives up
// its own reference afterwards. The policy can't choose the lifetime.
//@revisions: control attack
//@[control] check-pass
#![deny(unsafe_code)]
include!("policy.in");
use kernel::{mm::memcontrol::MemCgroup, sync::SetOnce};

static KEPT: SetOnce<&'static MemCgroup> = SetOnce::new();

#[cfg(control)]
fn offline(memcg: Option<&MemCgroup>) -> bool {
    memcg.is_some_and(MemCgroup::is_online)
}

#[cfg(attack)]
fn offline(memcg: Option<&'static MemCgroup>) -> bool {
    memcg.is_some_and(|memcg| KEPT.populate(memcg))
}

#[allow(unsafe_code)]
pub(crate) fn attack(memcg: *mut kernel::bindings::mem_cgroup) -> bool {
    // SAFETY: As in exports.rs.
    unsafe { MemCgroup::with_raw(memcg, offline) } //~[attack] ERROR: implementation of `FnOnce` is not general
}
