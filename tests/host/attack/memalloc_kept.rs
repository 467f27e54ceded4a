// SPDX-License-Identifier: GPL-2.0-or-later
// The witness for PF_MEMALLOC is used after its scope has ended.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{
    memalloc::{self, Memalloc},
    memcontrol::{ZswapCharged, ZswapObject},
};

pub fn attack<O: ZswapObject>(object: O) -> ZswapCharged<O> {
    #[cfg(attack)]
    {
        let mut kept: Option<&Memalloc> = None;
        memalloc::scope(|memalloc| kept = Some(memalloc)); //~[attack] E0521
        if let Some(memalloc) = kept {
            return ZswapCharged::new(object, None, memalloc);
        }
    }
    memalloc::scope(|memalloc| ZswapCharged::new(object, None, memalloc))
}
