// SPDX-License-Identifier: GPL-2.0-or-later
// obj_cgroup_memcg() without RCU: the cgroup is freed between the call and its use. The
// policy gets a counted reference.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::memcontrol::{MemCgroup, ObjCgroup},
    sync::{aref::ARef, rcu},
};

pub fn attack(objcg: &ObjCgroup) -> Option<ARef<MemCgroup>> {
    #[cfg(attack)]
    let _ = objcg.memcg_rcu(&rcu::read_lock()); //~[attack] E0624
    #[cfg(control)]
    drop(rcu::read_lock());
    objcg.memcg()
}
