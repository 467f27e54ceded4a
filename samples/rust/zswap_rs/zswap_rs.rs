// SPDX-License-Identifier: GPL-2.0-or-later

//! zswap: a compressed cache for swap pages.
//!
//! A page on its way to a swap device is compressed and kept in memory instead ([`store`]). When it
//! is wanted back, it is decompressed, which is faster than any device ([`load`]). When its slot on
//! the device is freed, it is forgotten ([`device`]). When there are too many pages, or memory is
//! wanted for something else, those that haven't been used for longest go on to the device
//! ([`shrink`], [`writeback`]).
//!
//! What is kept for a swap slot is an [`entry::Entry`]: an object in a [`pool::Pool`], which is a
//! zsmalloc pool with compressors for one algorithm, and the cgroup that it is charged to. Who may
//! touch the entry of a slot is said by types of [`kernel::mm::swap`]: whoever has the lock of the
//! folio that sits in the swap cache for the slot, or is freeing the slot.
//!
//! # Locks, from the outside in
//!
//! 1. the parameters' lock ([`ParamLock`](kernel::module_param::runtime::ParamLock)): setup, and
//!    the choice of a compressor; its holders may allocate
//! 2. a folio's lock
//! 3. a compressor's mutex: its holders may sleep, but allocate nothing that could reclaim
//! 4. a swap cluster's lock, which callers of `zswap_invalidate()` hold, in reclaim with interrupts off
//! 5. a tree's `xa_lock`; entries are dropped after it was released
//! 6. the lock of a list of entries: dropped before writing back, and not taken up again
//! 7. the lock of the list of pools; zsmalloc's locks
//!
//! On the side: `cpu_hotplug_lock` is taken within 1, and a compressor's mutex, to look and to put,
//! within that; the cursor over cgroups has a lock in which nothing else is locked.
//!
//! C original: [`mm/zswap.c`](srctree/mm/zswap.c)

#![deny(unsafe_code)]

mod age;
mod compress;
mod device;
mod entry;
mod exports;
mod limits;
mod load;
mod params;
mod pool;
mod setup;
mod shrink;
mod stats;
mod store;
mod writeback;

// What `module!` would define; this is built in and has other parameters than `module!` knows.
const __LOG_PREFIX: &[u8] = b"zswap\0";
