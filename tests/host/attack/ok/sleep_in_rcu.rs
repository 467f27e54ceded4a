// SPDX-License-Identifier: GPL-2.0-or-later
// Memory unsafety, not excluded: code sleeps in an RCU read section, in which it has a reference that RCU keeps.
// Unless CONFIG_PREEMPT_RCU is set a grace period can end meanwhile: the pool, or the state of the cgroup, is
// freed under the reference. The kernel crate's rcu::Guard doesn't say that nothing may sleep. might_sleep() and
// CONFIG_PROVE_RCU report it when it happens.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::{folio::CachedFolio, memcontrol::LruVec},
    prelude::*,
    sync::{atomic::ordering::Relaxed, generations::*, rcu, Mutex},
};

pub fn pool<T: Generation>(list: &Generations<T>, mutex: Pin<&Mutex<u32>>, look: impl Fn(&T)) {
    list.for_each(|pool| {
        drop(mutex.lock());
        look(pool);
    });
}

pub fn lruvec(folio: &CachedFolio<'_>, mutex: Pin<&Mutex<u32>>) -> isize {
    let rcu = rcu::read_lock();
    let lruvec = LruVec::of_folio(folio, &rcu);
    drop(mutex.lock());
    lruvec.nr_disk_swapins().load(Relaxed)
}
