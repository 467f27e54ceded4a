// SPDX-License-Identifier: GPL-2.0-or-later

//! zswap's mechanism: entries, the index of slots, the LRU lists, charges. The policy above it is safe code.
//!
//! # Files, bottom up
//!
//! Each imports only files above it in this list.
//!
//! - [`glue`], [`stats`], [`counts`]: what `glue.c` defines: parameters, the workqueue, counters
//! - [`entry_word`], [`page_mask`]: arithmetic
//! - [`contexts`], [`pool`], [`pool_list`]: per-CPU compressors, and pools
//! - [`object`], [`entry`]: a compressed page, and the entry of a slot
//! - [`lru`], [`charge`], [`free`]: LRU lists, charges, and the freeing of entries
//! - [`index`], [`trees`], [`slots`]: the mapping from slots to entries, and the witnesses that give access to it
//! - [`store_batch`], [`load_states`], `whole_folio`: swap-out and swap-in of a folio

pub(crate) mod contexts;
pub(crate) mod counts;
pub(crate) mod entry;
pub(crate) mod entry_word;
pub(crate) mod free;
pub(crate) mod glue;
pub(crate) mod index;
pub(crate) mod load_states;
pub(crate) mod lru;
pub(crate) mod object;
pub(crate) mod page_mask;
pub(crate) mod pool;
pub(crate) mod pool_list;
pub(crate) mod slots;
pub(crate) mod stats;
pub(crate) mod store_batch;
pub(crate) mod trees;
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
pub(crate) mod whole_folio;

mod charge;
