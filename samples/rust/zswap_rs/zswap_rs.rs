// SPDX-License-Identifier: GPL-2.0-or-later

//! zswap: a compressed cache for swap pages.
//!
//! On swap-out, zswap compresses a page into memory ([`store`]) instead of writing it to the swap
//! device. On swap-in, it decompresses the page ([`load`]), which is faster than a read from most
//! devices. When the slot is freed, so is its entry ([`zswap_core::slots`]). At a limit, or under memory pressure,
//! the least recently used entries are written back to the device ([`shrink`], [`writeback`]).
//!
//! An [`Entry`](zswap_core::entry::Entry) has an object in a [`Pool`](zswap_core::pool::Pool), and the
//! cgroup that it is charged to. A pool is a zsmalloc pool with the compressors of one algorithm. The
//! types of [`zswap_core::slots`] enforce that a slot's entry is accessed only by the task that holds
//! the lock of the slot's folio in the swap cache, or by the task that frees the slot.
//!
//! # Files, bottom up
//!
//! Each imports only files above it in this list.
//!
//! - [`trace`], [`age`], [`limits`], [`runs`]: events, arithmetic
//! - [`zswap_core`]: the mechanism
//! - [`compress`]: compressing pages
//! - [`state`]: the global state
//! - [`load`], `whole`, [`writeback`], [`shrink`], [`store`]: the operations
//! - [`setup`]: setup and parameters
//! - `exports`: the C ABI
//!
//! # Lock order, outermost first
//!
//! 1. `param_lock` ([`ParamLock`](zswap_core::glue::ParamLock)), for setup and the choice of a
//!    compressor; its holder may allocate
//! 2. a folio's lock
//! 3. a compressor's mutex; its holder may sleep, but must not make an allocation that enters reclaim
//! 4. a cluster's lock (`ci->lock`), taken to set zeromap bits, and held by the callers of
//!    `zswap_holds()` and of `zswap_invalidate_range()`, in reclaim with interrupts disabled
//! 5. a tree's `xa_lock`, to insert or remove a leaf; no entry is freed under it
//! 6. the lock of an LRU list, dropped before writeback
//! 7. zsmalloc's locks
//!
//! In addition, `cpu_hotplug_lock` nests inside 1, when a pool enables `zswap_ever_enabled`. The callers of
//! `zswap_folio_mapped()` hold a page-table lock, under which entries are freed: 5 to 7. No other lock is taken under
//! `zswap_shrink_lock`.
//!
//! C original: [`mm/zswap.c`](srctree/mm/zswap.c)

#![deny(unsafe_code)]

#[forbid(unsafe_code)]
mod age;
#[forbid(unsafe_code)]
mod compress;
#[allow(unsafe_code)]
mod exports;
#[forbid(unsafe_code)]
mod limits;
#[forbid(unsafe_code)]
mod load;
#[forbid(unsafe_code)]
mod runs;
#[forbid(unsafe_code)]
mod setup;
#[forbid(unsafe_code)]
mod shrink;
#[forbid(unsafe_code)]
mod state;
#[forbid(unsafe_code)]
mod store;
#[forbid(unsafe_code)]
mod trace;
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[forbid(unsafe_code)]
mod whole;
#[forbid(unsafe_code)]
mod writeback;
#[allow(unsafe_code)]
#[path = "core/mod.rs"]
mod zswap_core;

use zswap_core::stats;

// Normally defined by `module!`, which this crate can't use: it is built in, and `glue.c` declares its parameters.
const __LOG_PREFIX: &[u8] = b"zswap\0";
