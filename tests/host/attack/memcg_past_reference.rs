// SPDX-License-Identifier: GPL-2.0-or-later
// The cgroup is used after mem_cgroup_put() (docs/races.md: 8: the object's cgroup was
// put before list_lru_del() used it).
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{mm::memcontrol::MemCgroup, sync::aref::ARef};

pub fn attack(memcg: ARef<MemCgroup>) -> bool {
    let group: &MemCgroup = &memcg;
    #[cfg(attack)]
    drop(memcg); //~[attack] E0505
    group.is_online()
}
