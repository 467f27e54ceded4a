// SPDX-License-Identifier: GPL-2.0-or-later

//! Trace events of zswap. C defines them in `include/trace/events/zswap.h`.

use kernel::{
    alloc::NumaNode,
    bindings,
    mm::{
        memcontrol::MemCgroup,
        swapops::SwapEntry, //
    },
    prelude::*,
};

/// The outcome of storing a folio. Mirrors `enum zswap_outcome`.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
pub(crate) enum Outcome {
    /// Each of its slots has an entry, or its zeromap bit is set.
    Stored = bindings::zswap_outcome_ZSWAP_STORED as u8,
    /// zswap is disabled, or was never set up.
    Disabled = bindings::zswap_outcome_ZSWAP_DISABLED as u8,
    /// The cgroup is at its limit, and shrinking it freed nothing.
    CgroupLimit = bindings::zswap_outcome_ZSWAP_CGROUP_LIMIT as u8,
    /// `max_pool_percent` was reached.
    PoolLimit = bindings::zswap_outcome_ZSWAP_POOL_LIMIT as u8,
    /// No pool exists.
    NoPool = bindings::zswap_outcome_ZSWAP_NO_POOL as u8,
    /// The allocation of an entry, of its LRU list, or of a leaf of the index failed. Also, with a warning, the checks
    /// that precede publication.
    NoMemory = bindings::zswap_outcome_ZSWAP_NO_MEMORY as u8,
    /// The allocation of the compressed page failed.
    NoRoom = bindings::zswap_outcome_ZSWAP_NO_ROOM as u8,
    /// The compressor failed, or the page is incompressible, and the cgroup has writeback disabled.
    NotCompressed = bindings::zswap_outcome_ZSWAP_NOT_COMPRESSED as u8,
}

kernel::trace_event! {
    /// A folio was stored or refused: its first slot, its number of pages, the number of its slots whose zeromap bit
    /// is set, and the outcome.
    pub(crate) fn store(first: SwapEntry, pages: usize, zeroes: usize, outcome: Outcome) => zswap_store(
        first: c_ulong = first.as_raw().val, pages: c_uint = pages as u32, zeroes: c_uint = zeroes as u32,
        outcome: c_uint = outcome as u32,
    );

    /// The page of this slot is about to be decompressed.
    pub(crate) fn load_begin(slot: SwapEntry) => zswap_load_begin(slot: c_ulong = slot.as_raw().val);

    /// The page of this slot was decompressed, or decompression failed. Not emitted if the page was given up because
    /// another page of its large folio failed.
    pub(crate) fn load_end(slot: SwapEntry, error: Option<Error>)
        => zswap_load_end(slot: c_ulong = slot.as_raw().val, error: c_int = error.map_or(0, Error::to_errno));

    /// The page of this slot was written back, or writeback failed.
    pub(crate) fn writeback(slot: SwapEntry, error: Option<Error>)
        => zswap_writeback(slot: c_ulong = slot.as_raw().val, error: c_int = error.map_or(0, Error::to_errno));

    /// The entry of this slot is freed, since the slot is being freed.
    pub(crate) fn invalidate(slot: SwapEntry) => zswap_invalidate(slot: c_ulong = slot.as_raw().val);

    /// A walk over the list of a node and cgroup has ended: the number of entries that were left to scan, the number of
    /// entries that it has freed, and whether it stopped at a page in the swap cache.
    pub(crate) fn shrink<'a>(
        nid: NumaNode, memcg: Option<&'a MemCgroup>, left: usize, freed: usize, in_swap_cache: bool
    ) => zswap_shrink(
        nid: c_int = nid.as_raw(), cgroup: c_ulonglong = MemCgroup::id(memcg), left: c_ulong = left,
        freed: c_ulong = freed, in_swap_cache: c_uint = in_swap_cache.into(),
    );
}
