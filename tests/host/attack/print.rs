// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of the kernel.
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::prelude::*;

#[cfg(not(print_prefix_unended))]
const __LOG_PREFIX: &[u8] = b"zswap\0";
#[cfg(print_prefix_unended)]
const __LOG_PREFIX: &[u8] = b"zswap";

// The prefix of messages has no null at its end: printk() reads on behind it.
#[cfg(any(control, print_prefix_unended))]
pub mod print_prefix_unended {
    use super::*;

    pub fn attack() {
        pr_err!("reads on\n"); //~[print_prefix_unended] E0080
    }
}

// The hidden macro of the printing macros gets a format string of the caller's: printk() takes a
// formatter for a string.
#[cfg(any(control, print_other_format))]
pub mod print_other_format {
    use super::*;

    #[cfg(control)]
    use kernel::print::format_strings::ERR as FORMAT;
    #[cfg(print_other_format)]
    static FORMAT: [u8; 10] = *b"\x013%s: %s\n\0";

    pub fn attack() {
        kernel::print_macro!(FORMAT, false, "{}\n", 7); //~[print_other_format] E0308
    }
}
