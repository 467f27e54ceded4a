// SPDX-License-Identifier: GPL-2.0

//! Tasks.

pub fn cond_resched() {
    crate::sim::relax();
}
