// SPDX-License-Identifier: GPL-2.0-or-later
// The prefix of messages has no null at its end: printk() reads on behind it.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::prelude::*;

#[cfg(control)]
const __LOG_PREFIX: &[u8] = b"zswap\0";
#[cfg(attack)]
const __LOG_PREFIX: &[u8] = b"zswap";

pub fn attack() {
    pr_err!("reads on\n"); //~[attack] E0080
}
