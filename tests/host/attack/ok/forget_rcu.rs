// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel crate's own guards. An RCU read section that never ends frees nothing: waits for
// readers never end, and are reported (stalls). A lock that is never released blocks its waiters;
// the data that it protects isn't accessed.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem::forget;
use kernel::{
    prelude::*,
    sync::{rcu, Mutex, SpinLock},
};

pub fn section() {
    forget(rcu::read_lock());
}

pub fn locks(mutex: Pin<&Mutex<u32>>, lock: Pin<&SpinLock<u32>>) {
    forget(mutex.lock());
    forget(lock.lock());
}
