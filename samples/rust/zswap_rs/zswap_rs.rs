// SPDX-License-Identifier: GPL-2.0-or-later

//! zswap: a compressed cache for swap pages.
//!
//! On swap-out, a page is compressed and kept in memory ([`store`]) instead of written to the swap
//! device. On swap-in, it is decompressed ([`load`]), which is faster than any device. When its slot on
//! the device is freed, so is its entry ([`device`]). At a limit, or under memory pressure, the least
//! recently used entries are written to the device ([`shrink`], [`writeback`]).
//!
//! What is kept for a swap slot is an [`entry::Entry`]: an object in a [`pool::Pool`], which is a
//! zsmalloc pool with compressors for one algorithm, and the cgroup that it is charged to. The types of
//! [`kernel::mm::swap_slots`] say who may access the entry of a slot: the holder of the lock of the folio that
//! is in the swap cache for the slot, or the task that frees the slot.
//!
//! # Files, from the bottom up
//!
//! Each imports only files above it in this list; `make check` looks.
//!
//! - [`stats`], [`tunables`], [`age`], [`limits`]: counters, values of parameters, arithmetic
//! - [`contexts`], [`pool`], [`compress`], [`entry`]: what is kept, and how
//! - [`state`]: what there is once zswap is set up
//! - [`load`], [`writeback`], [`shrink`], [`store`], [`device`]: what is done
//! - [`debugfs`], [`setup`], [`params`]: making it, and turning it on
//! - `exports`: C's side
//!
//! # Locks, from the outside in
//!
//! 1. the parameters' lock ([`ParamLock`](kernel::module_param::runtime::ParamLock)): setup, and
//!    the choice of a compressor; its holders may allocate
//! 2. a folio's lock
//! 3. a compressor's mutex: its holders may sleep, but allocate nothing that could reclaim
//! 4. a swap cluster's lock, which callers of `zswap_invalidate()` hold, in reclaim with interrupts off
//! 5. a tree's `xa_lock`; entries are dropped after it was released
//! 6. the lock of a list of entries: dropped before writing back, and not taken again
//! 7. the lock of the list of pools; zsmalloc's locks
//!
//! On the side: `cpu_hotplug_lock` is taken within 1, and a compressor's mutex, to look and to put,
//! within that; the cursor over cgroups has a lock in which nothing else is locked.
//!
//! C original: [`mm/zswap.c`](srctree/mm/zswap.c)

#![deny(unsafe_code)]

mod age;
mod compress;
mod contexts;
mod debugfs;
mod device;
mod entry;
mod exports;
mod limits;
mod load;
mod params;
mod pool;
mod setup;
mod shrink;
mod state;
mod stats;
mod store;
mod tunables;
mod writeback;

// What `module!` would define; this is built in and has other parameters than `module!` knows.
const __LOG_PREFIX: &[u8] = b"zswap\0";
