// SPDX-License-Identifier: GPL-2.0-or-later
// "PF_MEMALLOC context, charging must succeed": elsewhere a failed charge is uncharged.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    memalloc::{self, Memalloc},
    memcontrol::{charge_all, ObjCgroup, ZswapCharged, ZswapObject},
};

fn sent<T: Send>(_: T) {}

pub fn attack<O: ZswapObject>(objects: &mut [ZswapCharged<O>], objcg: Option<&ObjCgroup>) {
    #[cfg(attack)]
    charge_all(objcg, objects.iter_mut()); //~[attack] E0061
    #[cfg(attack)]
    let made = &Memalloc(kernel::types::NotThreadSafe); //~[attack] E0423
    #[cfg(attack)]
    memalloc::scope(|memalloc| sent(memalloc)); //~[attack] E0277
    memalloc::scope(|memalloc| charge_all(objcg, objects.iter_mut(), memalloc));
}
