// SPDX-License-Identifier: GPL-2.0-or-later

//! The swap cache: the hot half of C's [`mm/swap_state.c`](srctree/mm/swap_state.c).
//!
//! A page that is swapped in gets a folio in the swap cache for its slot first ([`add`]), is then read
//! into it ([`swapin`]), and those around it perhaps as well ([`readahead`]). Whoever adds the folio
//! has won; whoever comes second finds it there, and has to wait for its lock. Nobody waits in here:
//! who may, does so afterwards, in the fault path. Writeback and readahead may not.
//!
//! How a folio enters, and how one that failed halfway leaves, is said by the types of
//! [`kernel::mm::swap_cache`].
//!
//! # Locks, from the outside in
//!
//! 1. the lock of a folio, which is new, so that nobody can hold it against us
//! 2. a cluster's lock, for a few words; what is called with it held is only what frees slots
//!
//! C keeps the address space, sysctl and sysfs, the batches that free folios, and the walk over page
//! tables that finds what to read ahead.

#![deny(unsafe_code)]

mod add;
mod exports;
mod readahead;
mod swapin;
mod window;

// What `module!` would define; this is built in.
const __LOG_PREFIX: &[u8] = b"swap_cache\0";
