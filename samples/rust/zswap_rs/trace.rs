// SPDX-License-Identifier: GPL-2.0

//! Events of zswap.
//!
//! C header: [`include/trace/events/zswap.h`](srctree/include/trace/events/zswap.h)

use crate::{
    alloc::NumaNode,
    bindings,
    mm::{
        memcontrol::MemCgroup,
        swapops::SwapEntry,
        trace_event::EventField, //
    },
    prelude::*, //
};

/// The outcome of storing a folio. Mirrors `enum zswap_outcome`.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
pub enum Outcome {
    /// All its pages are in zswap, or have the zero mark.
    Stored,
    /// zswap is off, or was never set up.
    Disabled,
    /// The cgroup is at its limit, and shrinking it freed nothing.
    CgroupLimit,
    /// `max_pool_percent` was reached.
    PoolLimit,
    /// There is no pool.
    NoPool,
    /// No memory is available for an entry, its list, or its place in the tree.
    NoMemory,
    /// No memory is available for the compressed page.
    NoRoom,
    /// This CPU was brought up without a compressor.
    NoCompressor,
    /// The compressor failed, or made the page no smaller, and the cgroup has writeback disabled.
    NotCompressed,
}

/// The fields of [`shrink`].
pub struct Walk<'a> {
    /// The list's node.
    pub nid: NumaNode,
    /// The list's cgroup.
    pub memcg: Option<&'a MemCgroup>,
    /// How many more entries the walk could have visited.
    pub left: usize,
    /// The number of entries freed.
    pub freed: usize,
    /// Whether the walk ended at a page in the swap cache.
    pub in_swap_cache: bool,
}

// SAFETY: Null, or a cgroup that is borrowed.
unsafe impl EventField for Option<&MemCgroup> {
    type Raw = *mut bindings::mem_cgroup;

    #[inline(always)]
    fn into_raw(self) -> *mut bindings::mem_cgroup {
        MemCgroup::raw(self)
    }
}

// SAFETY: It is a number.
unsafe impl EventField for NumaNode {
    type Raw = c_int;

    #[inline(always)]
    fn into_raw(self) -> c_int {
        self.as_raw()
    }
}

crate::trace_event! {
    /// A folio was stored or refused: its first slot, its number of pages, how many of these have the zero
    /// mark, and the outcome.
    pub fn store(first: SwapEntry, pages: usize, zeroes: usize, outcome: Outcome)
        => zswap_store(
            first = first.as_raw(), pages = pages as u32, zeroes = zeroes as u32, outcome = outcome as u32
        );

    /// The page of this slot is about to be decompressed.
    pub fn load_begin(slot: SwapEntry) => zswap_load_begin(slot = slot.as_raw());

    /// The page of this slot was decompressed, or decompression failed.
    pub fn load_end(slot: SwapEntry, error: Option<Error>)
        => zswap_load_end(slot = slot.as_raw(), error = error);

    /// The page of this slot was written back, or writeback failed.
    pub fn writeback(slot: SwapEntry, error: Option<Error>)
        => zswap_writeback(slot = slot.as_raw(), error = error);

    /// The entry of this slot is dropped, since the slot is being freed.
    pub fn invalidate(slot: SwapEntry) => zswap_invalidate(slot = slot.as_raw());

    /// A walk over a list has ended.
    pub fn shrink<'a>(walk: Walk<'a>)
        => zswap_shrink(
            nid = walk.nid, memcg = walk.memcg, left = walk.left, freed = walk.freed,
            in_swap_cache = walk.in_swap_cache
        );
}

#[cfg(CONFIG_TRACEPOINTS)]
const _: () = {
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
