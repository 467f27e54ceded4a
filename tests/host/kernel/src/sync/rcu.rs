// SPDX-License-Identifier: GPL-2.0

//! RCU: doesn't wait for each reader, but memory that readers can see isn't reused before the work
//! that frees it runs, after a model has joined its threads.

pub struct Guard(());

pub fn read_lock() -> Guard {
    Guard(())
}

pub fn synchronize_rcu() {}
