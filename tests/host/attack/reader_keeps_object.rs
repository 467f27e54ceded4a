// SPDX-License-Identifier: GPL-2.0-or-later
// A pool found on the list under RCU is kept beyond the read section.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::sync::generations::Generations;

pub fn attack<T: Send + Sync + Copy>(pools: &Generations<T>) -> Option<T> {
    let kept = core::cell::Cell::new(None);
    pools.for_each(|pool| {
        #[cfg(attack)]
        kept.set(Some(pool)); //~[attack] E0521
        #[cfg(control)]
        kept.set(Some(*pool));
    });
    #[cfg(attack)]
    let kept = core::cell::Cell::new(kept.get().copied());
    kept.get()
}
