// SPDX-License-Identifier: GPL-2.0-or-later
// A shrinker keeps the cgroup that it was called for beyond the call.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    mm::memcontrol::MemCgroup,
    shrinker::{Request, Scanned, Shrink},
    sync::{aref::ARef, SetOnce},
};

#[cfg(attack)]
static KEPT: SetOnce<&MemCgroup> = SetOnce::new();
#[cfg(control)]
static KEPT: SetOnce<ARef<MemCgroup>> = SetOnce::new();

pub struct Keeper;
impl Shrink for Keeper {
    fn count(request: &Request<'_>) -> usize {
        if let Some(memcg) = request.memcg {
            #[cfg(attack)]
            KEPT.populate(memcg); //~[attack] E0521
            #[cfg(control)]
            KEPT.populate(ARef::from(memcg));
        }
        0
    }

    fn scan(_: &Request<'_>, _: &mut usize) -> Scanned {
        Scanned::Refused
    }
}
