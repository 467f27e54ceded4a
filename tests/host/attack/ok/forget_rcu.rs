// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel crate's own guards. An RCU read section that is never left frees nothing: those who
// wait for readers wait for ever, and say so (stalls). A lock that is never released is waited for;
// what it protects stays untouched.
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
