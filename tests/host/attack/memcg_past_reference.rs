// SPDX-License-Identifier: GPL-2.0-or-later
// mem_cgroup_put(), then a look at the group (docs/races.md: 8: the object's cgroup was dropped
// before list_lru_del() asked it).
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
