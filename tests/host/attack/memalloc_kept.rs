// SPDX-License-Identifier: GPL-2.0-or-later
// The witness for PF_MEMALLOC is used after its scope has ended.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    memalloc::{self, Memalloc},
    memcontrol::{charge_all, ObjCgroup, ZswapCharged, ZswapObject},
};

pub fn attack<O: ZswapObject>(objects: &mut [ZswapCharged<O>], objcg: Option<&ObjCgroup>) {
    #[cfg(attack)]
    {
        let mut kept: Option<&Memalloc> = None;
        memalloc::scope(|memalloc| kept = Some(memalloc)); //~[attack] E0521
        if let Some(memalloc) = kept {
            charge_all(objcg, objects.iter_mut(), memalloc);
        }
    }
    memalloc::scope(|memalloc| charge_all(objcg, objects.iter_mut(), memalloc));
}
