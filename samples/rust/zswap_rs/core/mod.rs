// SPDX-License-Identifier: GPL-2.0-or-later

//! zswap's mechanism: entries, the index of slots, the LRU lists, charges. The policy above it is safe code.
//!
//! # Files, bottom up
//!
//! Each imports only files above it in this list.
//!
//! - [`glue`], [`stats`]: what `glue.c` defines: parameters, the workqueue, counters
//! - [`entry_word`], [`page_mask`]: arithmetic
//! - [`pool`], [`pool_table`]: pools, with a compressor for each CPU
//! - [`object`], [`entry`]: a compressed page, and the entry of a slot
//! - [`lru`], [`charge`], [`free`]: LRU lists, charges and totals, and the freeing of entries
//! - [`index`], [`slots`]: the mapping from slots to entries, and the witnesses that give access to it
//! - [`store`], [`load`], `whole`, [`writeback`]: what the C ABI calls. Each calls the policy, and lends it the entries

pub(crate) mod charge;
pub(crate) mod entry;
pub(crate) mod entry_word;
pub(crate) mod free;
pub(crate) mod glue;
pub(crate) mod index;
pub(crate) mod load;
pub(crate) mod lru;
pub(crate) mod object;
pub(crate) mod page_mask;
pub(crate) mod pool;
pub(crate) mod pool_table;
pub(crate) mod slots;
pub(crate) mod stats;
pub(crate) mod store;
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
pub(crate) mod whole;
pub(crate) mod writeback;
