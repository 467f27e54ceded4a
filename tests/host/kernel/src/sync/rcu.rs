// SPDX-License-Identifier: GPL-2.0

//! RCU: readers aren't waited for one by one, but nothing that they could see is reused before the
//! work that frees it runs, when a model has joined its threads.

pub struct Guard(());

pub fn read_lock() -> Guard {
    Guard(())
}

pub fn synchronize_rcu() {}
