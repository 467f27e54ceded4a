// SPDX-License-Identifier: GPL-2.0-or-later

//! Statistics, with the same names as in C. `glue.c` shows them in debugfs.
//!
//! C increments plain `u64`s, which it documents as not 100% accurate. These are relaxed atomics:
//! exact, and free of data races.

#![allow(non_upper_case_globals)]

use kernel::{
    mm::{
        memcontrol::ObjCgroup,
        vmstat::{
            self,
            Event, //
        },
    },
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

// SAFETY: `glue.c` defines these as `u64`, and only reads them, each with a single load.
unsafe extern "C" {
    /// The pool limit was hit (see `max_pool_percent`).
    pub(crate) safe static zswap_pool_limit_hit: Atomic<u64>;

    /// Pages written back to the swap device.
    pub(crate) safe static zswap_written_back_pages: Atomic<u64>;

    /// An entry could not be written back.
    pub(crate) safe static zswap_reject_reclaim_fail: Atomic<u64>;

    /// A store failed because the compressor failed.
    pub(crate) safe static zswap_reject_compress_fail: Atomic<u64>;

    /// A store failed because the compressed page was too large.
    pub(crate) safe static zswap_reject_compress_poor: Atomic<u64>;

    /// A load or writeback failed because the decompressor failed.
    pub(crate) safe static zswap_decompress_fail: Atomic<u64>;

    /// A store failed because the allocation of the object, or of a leaf of the index, failed.
    pub(crate) safe static zswap_reject_alloc_fail: Atomic<u64>;

    /// A store failed because the allocation of the entry failed (rare).
    pub(crate) safe static zswap_reject_kmemcache_fail: Atomic<u64>;

    /// Large folios that were loaded as a whole.
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    pub(crate) safe static zswap_large_loads: Atomic<u64>;

    /// Loads of a large folio that failed, since a page could not be decompressed.
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    pub(crate) safe static zswap_large_load_fail: Atomic<u64>;
}

/// Counts one event. Any context.
pub(crate) fn inc(counter: &'static Atomic<u64>) {
    counter.fetch_add(1, Relaxed);
}

/// Counts an event of `nr` pages in `/proc/vmstat`, and for the cgroup. Any context.
pub(crate) fn count(objcg: Option<&ObjCgroup>, event: Event, nr: usize) {
    if let Some(objcg) = objcg {
        objcg.count(event, nr);
    }
    vmstat::count(event, nr);
}
