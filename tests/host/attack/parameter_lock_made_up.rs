// SPDX-License-Identifier: GPL-2.0-or-later
// "The caller holds the lock", says the caller.
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
