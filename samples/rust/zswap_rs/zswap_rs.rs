// SPDX-License-Identifier: GPL-2.0-or-later

//! zswap: a compressed cache for swap pages.
//!
//! On swap-out, a page is compressed and kept in memory ([`store`]) instead of being written to the
//! swap device. On swap-in, it is decompressed ([`load`]), which is faster than any device. When
//! its slot on the device is freed, so is its entry ([`device`]). At a limit, or under memory
//! pressure, the least recently used entries are written back to the device ([`shrink`],
//! [`writeback`]).
//!
//! A stored slot has an [`Entry`](zswap_core::entry::Entry): an object in a [`Pool`](zswap_core::pool::Pool), and the cgroup that it is
//! charged to. A pool is a zsmalloc pool with the compressors of one algorithm. The types of
//! [`zswap_core::slots`] enforce that a slot's entry is accessed only by the task that holds
//! the lock of the slot's swap-cache folio, or by the task that frees the slot.
//!
//! # Files, bottom up
//!
//! Each imports only files above it in this list; `make check` verifies that.
//!
//! - [`stats`], [`trace`], [`tunables`], [`age`], [`limits`], [`runs`]: counters, events, values of parameters,
//!   arithmetic
//! - [`zswap_core`]: the mechanism, in files of its own
//! - [`compress`]: compressing pages
//! - [`state`]: the global state
//! - [`load`], [`writeback`], [`shrink`], [`store`], [`device`]: the operations
//! - [`debugfs`], [`setup`], [`params`]: setup and parameters
//! - `exports`: the C ABI
//!
//! # Lock order, outermost first
//!
//! 1. the parameters' lock ([`ParamLock`](kernel::module_param::runtime::ParamLock)), for setup and
//!    the choice of a compressor; its holder may allocate
//! 2. a folio's lock
//! 3. a compressor's mutex: its holder may sleep, but must not enter reclaim by an allocation
//! 4. a swap cluster's lock: taken to mark pages of zeroes, and held by callers of
//!    `zswap_invalidate()`, in reclaim with interrupts off
//! 5. a tree's `xa_lock`, where a leaf comes or goes; entries are dropped under none
//! 6. the lock of a list of entries: dropped before writeback, and not taken again
//! 7. the lock of the list of pools; zsmalloc's locks
//!
//! Besides these: `cpu_hotplug_lock` nests in 1, and a compressor's mutex, to check for a context
//! and to install one, nests in that. No other lock is taken under the lock of the cursor over
//! cgroups.
//!
//! C original: [`mm/zswap.c`](srctree/mm/zswap.c)

#![deny(unsafe_code)]

#[forbid(unsafe_code)]
mod age;
#[forbid(unsafe_code)]
mod compress;
#[forbid(unsafe_code)]
mod debugfs;
#[forbid(unsafe_code)]
mod device;
#[allow(unsafe_code)]
mod exports;
#[forbid(unsafe_code)]
mod limits;
#[forbid(unsafe_code)]
mod load;
#[forbid(unsafe_code)]
mod params;
#[forbid(unsafe_code)]
mod runs;
#[forbid(unsafe_code)]
mod setup;
#[forbid(unsafe_code)]
mod shrink;
#[forbid(unsafe_code)]
mod state;
#[forbid(unsafe_code)]
mod stats;
#[forbid(unsafe_code)]
mod store;
#[forbid(unsafe_code)]
mod trace;
#[forbid(unsafe_code)]
mod tunables;
#[forbid(unsafe_code)]
mod writeback;
#[allow(unsafe_code)]
#[path = "core/mod.rs"]
mod zswap_core;

// `module!` would define this; this crate is built in, with parameters that it can't declare.
const __LOG_PREFIX: &[u8] = b"zswap\0";
