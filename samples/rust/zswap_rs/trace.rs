// SPDX-License-Identifier: GPL-2.0-or-later

//! Trace events of zswap. C defines them in `include/trace/events/zswap.h`.

use kernel::{
    alloc::NumaNode,
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
    Stored,
    /// zswap is disabled, or was never set up.
    Disabled,
    /// The cgroup is at its limit, and shrinking it freed nothing.
    CgroupLimit,
    /// `max_pool_percent` was reached.
    PoolLimit,
    /// No pool exists.
    NoPool,
    /// The allocation of an entry, of its LRU list, or of a leaf of the index failed. Also, with a warning, the checks
    /// that precede publication.
    NoMemory,
    /// The allocation of the compressed page failed.
    NoRoom,
    /// This CPU was brought up without a compressor.
    NoCompressor,
    /// The compressor failed, or the page is incompressible, and the cgroup has writeback disabled.
    NotCompressed,
}

kernel::trace_event! {
    /// A folio was stored or refused: its first slot, its number of pages, the number of its slots whose zeromap bit
    /// is set, and the outcome.
    pub(crate) fn store(first: SwapEntry, pages: usize, zeroes: usize, outcome: Outcome)
        => zswap_store(
            first = first.as_raw(), pages = pages as u32, zeroes = zeroes as u32, outcome = outcome as u32
        );

    /// The page of this slot is about to be decompressed.
    pub(crate) fn load_begin(slot: SwapEntry) => zswap_load_begin(slot = slot.as_raw());

    /// The page of this slot was decompressed, or decompression failed. Not emitted if the page was given up because
    /// another page of its large folio failed.
    pub(crate) fn load_end(slot: SwapEntry, error: Option<Error>)
        => zswap_load_end(slot = slot.as_raw(), error = error);

    /// The page of this slot was written back, or writeback failed.
    pub(crate) fn writeback(slot: SwapEntry, error: Option<Error>)
        => zswap_writeback(slot = slot.as_raw(), error = error);

    /// The entry of this slot is freed, since the slot is being freed.
    pub(crate) fn invalidate(slot: SwapEntry) => zswap_invalidate(slot = slot.as_raw());

    /// A walk over the list of a node and cgroup has ended: the number of entries that were left to scan, the number of
    /// entries that it has freed, and whether it stopped at a page in the swap cache.
    pub(crate) fn shrink<'a>(
        nid: NumaNode, memcg: Option<&'a MemCgroup>, left: usize, freed: usize, in_swap_cache: bool
    )
        => zswap_shrink(nid = nid, memcg = memcg, left = left, freed = freed, in_swap_cache = in_swap_cache);
}

#[cfg(CONFIG_TRACEPOINTS)]
const _: () = {
    use kernel::bindings;
    use Outcome::*;
    assert!(Stored as u32 == bindings::zswap_outcome_ZSWAP_STORED);
    assert!(Disabled as u32 == bindings::zswap_outcome_ZSWAP_DISABLED);
    assert!(CgroupLimit as u32 == bindings::zswap_outcome_ZSWAP_CGROUP_LIMIT);
    assert!(PoolLimit as u32 == bindings::zswap_outcome_ZSWAP_POOL_LIMIT);
    assert!(NoPool as u32 == bindings::zswap_outcome_ZSWAP_NO_POOL);
    assert!(NoMemory as u32 == bindings::zswap_outcome_ZSWAP_NO_MEMORY);
    assert!(NoRoom as u32 == bindings::zswap_outcome_ZSWAP_NO_ROOM);
    assert!(NoCompressor as u32 == bindings::zswap_outcome_ZSWAP_NO_COMPRESSOR);
    assert!(NotCompressed as u32 == bindings::zswap_outcome_ZSWAP_NOT_COMPRESSED);
};
