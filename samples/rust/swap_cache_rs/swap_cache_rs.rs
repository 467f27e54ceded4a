// SPDX-License-Identifier: GPL-2.0-or-later

//! The swap cache: lookup, insertion, removal, swap-in and readahead of
//! [`mm/swap_state.c`](srctree/mm/swap_state.c).
//!
//! Swap-in ([`swapin`]) first adds a new folio to the swap cache for the slot, then reads the page into
//! the folio, or lets zswap fill it, and may read the pages around it ([`readahead`]). The task that adds the
//! folio wins; a later task finds that folio and must wait for its lock. No task waits in this crate:
//! the fault path waits afterwards. Writeback and readahead must not wait.
//!
//! A fault, or a reader of shared memory, may swap in a large folio, if `large` allows its order.
//!
//! [`kernel::mm::swap_add`] implements the insertion of a folio in steps, and the removal of a folio
//! whose insertion failed halfway.
//!
//! # Lock order, outermost first
//!
//! 1. a folio's lock; that of a new folio is never contended
//! 2. a cluster's lock (`ci->lock`), held for the swap-table entries of one folio. Called under it: what
//!    frees slots, what counts the entries that zswap holds, and the swap-out of cgroup v1
//!
//! The address space, sysctl and sysfs, the freeing of folios in batches, and the page-table walk of
//! VMA readahead stay in C.

#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod exports;
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[forbid(unsafe_code)]
mod large;
#[forbid(unsafe_code)]
mod readahead;
#[forbid(unsafe_code)]
mod swapin;
#[forbid(unsafe_code)]
mod window;

// Normally defined by `module!`, which this crate does not use: it is built in.
const __LOG_PREFIX: &[u8] = b"swap_cache\0";
