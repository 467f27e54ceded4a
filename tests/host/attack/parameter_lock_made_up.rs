// SPDX-License-Identifier: GPL-2.0-or-later
// A caller forges the proof that it holds the lock.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{module_param::runtime::ParamLock, types::NotThreadSafe};

pub fn attack(f: fn(&mut ParamLock)) {
    #[cfg(attack)]
    f(&mut ParamLock(NotThreadSafe)); //~[attack] E0423
    let _ = NotThreadSafe;
    ParamLock::with(f);
}
