// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's command line calls a policy's own code, before allocators and workqueues work.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{
    module_param::runtime::{AtBoot, ParamLock},
    prelude::*,
    str::CStr, //
};

pub struct Eager;

#[cfg(attack)]
impl AtBoot for Eager {
    //~[attack]^ E0200
    fn set_at_boot(&self, _: &mut ParamLock, _: &CStr, word: &CStr) -> Result {
        drop(KVec::with_capacity(word.count_bytes(), GFP_KERNEL)? as KVec<u8>);
        Ok(())
    }
}

pub fn attack<T: AtBoot>(value: &T, lock: &mut ParamLock, name: &CStr, word: &CStr) -> Result {
    value.set_at_boot(lock, name, word)
}
