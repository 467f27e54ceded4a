// SPDX-License-Identifier: GPL-2.0-or-later
// The hidden macro of the printing macros gets a format string of the caller's: printk() takes a
// formatter for a string.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[cfg(control)]
use kernel::print::format_strings::ERR as FORMAT;
#[cfg(attack)]
static FORMAT: [u8; 10] = *b"\x013%s: %s\n\0";

pub fn attack() {
    kernel::print_macro!(FORMAT, false, "{}\n", 7); //~[attack] E0308
}
