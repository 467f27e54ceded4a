// SPDX-License-Identifier: GPL-2.0-or-later
// Memory cgroups.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    bindings::lruvec,
    mm::{
        call::Call,
        folio::CachedFolio,
        memcontrol::{disk_swapins, Cursor, MemCgroup, ObjCgroup},
    },
    shrinker::{Request, Scanned, Shrink},
    sync::{aref::ARef, rcu, SetOnce, SpinLock},
};

// folio_lruvec() is "for as long as RCU is held": the cgroup may die, and its lruvec with it. A section ends though
// its guard was leaked, or, without CONFIG_PREEMPT_RCU, when the task sleeps: what RCU keeps is a pointer.
#[cfg(any(control, lruvec_past_rcu))]
pub mod lruvec_past_rcu {
    use super::*;

    pub fn attack(folio: &CachedFolio<'_>, lruvec: *mut lruvec) {
        #[cfg(lruvec_past_rcu)]
        let _ = disk_swapins(lruvec); //~[lruvec_past_rcu] E0133
        let _ = lruvec;
        folio.count_disk_swapin();
    }
}

// obj_cgroup_memcg() without RCU, or used after it: the cgroup is freed between the call and its use. The
// policy gets a counted reference; what RCU keeps is a pointer.
#[cfg(any(control, memcg_of_an_entry))]
pub mod memcg_of_an_entry {
    use super::*;

    pub fn attack(objcg: &ObjCgroup) -> Option<ARef<MemCgroup>> {
        #[cfg(memcg_of_an_entry)]
        let _ = objcg.memcg_rcu(); //~[memcg_of_an_entry] E0061
        objcg.memcg()
    }

    pub fn lent(objcg: &ObjCgroup, call: &Call) -> bool {
        let memcg = objcg.memcg_rcu(&rcu::read_lock());
        #[cfg(memcg_of_an_entry)]
        let _ = MemCgroup::from_raw_or_null(memcg, call); //~[memcg_of_an_entry] E0133
        memcg.is_null()
    }
}

// The cgroup is used after mem_cgroup_put() (docs/races.md: 8: the object's cgroup was
// put before list_lru_del() used it).
#[cfg(any(control, memcg_past_reference))]
pub mod memcg_past_reference {
    use super::*;

    pub fn attack(memcg: ARef<MemCgroup>) -> bool {
        let group: &MemCgroup = &memcg;
        #[cfg(memcg_past_reference)]
        drop(memcg); //~[memcg_past_reference] E0505
        group.is_online()
    }
}

// A shrinker keeps the cgroup that it was called for beyond the call.
#[cfg(any(control, group_past_request))]
pub mod group_past_request {
    use super::*;

    #[cfg(group_past_request)]
    static KEPT: SetOnce<&MemCgroup> = SetOnce::new();
    #[cfg(control)]
    static KEPT: SetOnce<ARef<MemCgroup>> = SetOnce::new();

    pub struct Keeper;
    impl Shrink for Keeper {
        fn count(request: &Request<'_>) -> usize {
            if let Some(memcg) = request.memcg {
                #[cfg(group_past_request)]
                KEPT.populate(memcg); //~[group_past_request] E0521
                #[cfg(control)]
                KEPT.populate(ARef::from(memcg));
            }
            0
        }

        fn scan(_: &Request<'_>, _: &mut usize) -> Scanned {
            Scanned::Refused
        }
    }
}

// The cursor advances, which puts the cgroup that it was at, and the worker goes on using
// that cgroup (docs/races.md: 14).
#[cfg(any(control, cursor_moves))]
pub mod cursor_moves {
    use super::*;

    pub fn attack(cursor: &mut Cursor) -> bool {
        #[cfg(control)]
        cursor.advance();
        let group = cursor.get();
        #[cfg(cursor_moves)]
        cursor.advance(); //~[cursor_moves] E0502
        group.is_some_and(|group| group.is_online())
    }
}

// "The lock protects zswap_next_shrink", but nothing in C enforces that (docs/races.md: 14).
#[cfg(any(control, cursor_unlocked))]
pub mod cursor_unlocked {
    use super::*;

    pub fn attack(cursor: &SpinLock<Cursor>) {
        #[cfg(cursor_unlocked)]
        cursor.advance(); //~[cursor_unlocked] E0599
        cursor.lock().advance();
    }
}
