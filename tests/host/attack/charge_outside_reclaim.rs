// SPDX-License-Identifier: GPL-2.0-or-later
// "PF_MEMALLOC context, charging must succeed": elsewhere a failed charge is uncharged.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    memalloc::{self, Memalloc},
    memcontrol::{ZswapCharged, ZswapObject},
};

fn sent<T: Send>(_: T) {}

pub fn attack<O: ZswapObject>(object: O) -> ZswapCharged<O> {
    #[cfg(attack)]
    return ZswapCharged::new(object, None); //~[attack] E0061
    #[cfg(attack)]
    return ZswapCharged::new(object, None, &Memalloc(kernel::types::NotThreadSafe)); //~[attack] E0423
    #[cfg(attack)]
    memalloc::scope(|memalloc| sent(memalloc)); //~[attack] E0277
    memalloc::scope(|memalloc| ZswapCharged::new(object, None, memalloc))
}
