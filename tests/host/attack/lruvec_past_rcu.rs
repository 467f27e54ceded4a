// SPDX-License-Identifier: GPL-2.0-or-later
// folio_lruvec() is "for as long as RCU is held": the cgroup may die, and its lruvec with it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, memcontrol::LruVec},
    sync::{atomic::ordering::Relaxed, rcu},
};

pub fn attack(folio: &CachedFolio<'_>) -> isize {
    let rcu = rcu::read_lock();
    let lruvec = LruVec::of_folio(folio, &rcu);
    #[cfg(attack)]
    drop(rcu); //~[attack] E0505
    lruvec.nr_disk_swapins().load(Relaxed)
}
