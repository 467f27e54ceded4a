// SPDX-License-Identifier: GPL-2.0-or-later

//! The swap cache: the hot half of [`mm/swap_state.c`](srctree/mm/swap_state.c).
//!
//! Swapping a page in first adds a new folio to the swap cache for its slot ([`add`]), then reads
//! the page into the folio ([`swapin`]), and perhaps reads the pages around it ([`readahead`]). The
//! task that adds the folio wins; a later one finds the folio there and has to wait for its lock.
//! No task waits in this crate: the fault path waits afterwards. Writeback and readahead must not
//! wait.
//!
//! [`kernel::mm::swap_add`] has the steps by which a folio enters, and by which a folio that failed
//! halfway leaves.
//!
//! # Lock order, outermost first
//!
//! 1. a folio's lock; the folio is new, so the lock is never contended
//! 2. a cluster's lock, held for a few swap-table entries; only the freeing of slots is called
//!    under it
//!
//! The address space, sysctl and sysfs, the batches that free folios, and the page-table walk of
//! VMA readahead stay in C.

#![deny(unsafe_code)]

#[forbid(unsafe_code)]
mod add;
#[allow(unsafe_code)]
mod exports;
#[forbid(unsafe_code)]
mod readahead;
#[forbid(unsafe_code)]
mod swapin;
#[forbid(unsafe_code)]
mod trace;
#[forbid(unsafe_code)]
mod window;

// `module!` would define this; this crate is built in.
const __LOG_PREFIX: &[u8] = b"swap_cache\0";
