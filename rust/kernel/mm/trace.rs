// SPDX-License-Identifier: GPL-2.0

//! Tracepoints of zswap and of the swap cache.
//!
//! Each takes a closure that makes what the event has, which is called only if somebody listens. If
//! nobody does, a tracepoint is one instruction (with `CONFIG_JUMP_LABEL`); without
//! `CONFIG_TRACEPOINTS` it is none.
//!
//! C header: [`include/trace/events/zswap.h`](srctree/include/trace/events/zswap.h)

#[cfg(CONFIG_ZSWAP_RUST)]
use crate::{
    alloc::NumaNode,
    mm::{
        memcontrol::MemCgroup,
        swapops::SwapEntry, //
    },
};

// Without tracepoints the function does nothing, and host models have it, too: they have a swap cache and no
// configuration.
#[cfg(any(CONFIG_SWAP_CACHE_RUST, not(CONFIG_TRACEPOINTS)))]
use crate::mm::swap_cache::Slot;

use crate::error::Error;

/// What came of storing a folio. Mirrors `enum zswap_outcome`.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
#[cfg(CONFIG_ZSWAP_RUST)]
pub enum Outcome {
    /// All its pages are in zswap.
    Stored,
    /// zswap is off, or was never set up.
    Disabled,
    /// The cgroup is at its limit, and could make no room.
    CgroupLimit,
    /// `max_pool_percent` was reached.
    PoolLimit,
    /// No compressor can be had.
    NoPool,
    /// There is no memory for an entry, its list, or its place in the index.
    NoMemory,
    /// There is no memory for the compressed page.
    NoRoom,
    /// This CPU was brought up without a compressor.
    NoCompressor,
    /// The compressor failed, or made nothing smaller, and the cgroup may not write back.
    NotCompressed,
}

/// What [`shrink`] tells of.
#[cfg(CONFIG_ZSWAP_RUST)]
pub struct Walk<'a> {
    /// Whose list: the node.
    pub nid: NumaNode,
    /// Whose list: the cgroup.
    pub memcg: Option<&'a MemCgroup>,
    /// Entries that might have been looked at and weren't.
    pub left: usize,
    /// Entries that were freed.
    pub freed: usize,
    /// Whether it ended at a page that is in the swap cache.
    pub in_swap_cache: bool,
}

/// Defines the function of an event: what its closure returns, and what the event takes of that.
macro_rules! event {
    (
        $(#[$attr:meta])*
        $name:ident $(<$lifetime:lifetime>)? => $event:ident, $returns:ty,
            |$made:pat_param| ($($arg:expr),*)
    ) => {
        $(#[$attr])*
        #[inline(always)]
        pub fn $name$(<$lifetime>)?(event: impl FnOnce() -> $returns) {
            #[cfg(CONFIG_TRACEPOINTS)]
            if events::enabled!($event) {
                let $made = event();
                // SAFETY: An event takes numbers, and `zswap_shrink` a group that is borrowed or null.
                unsafe { events::$event($($arg),*) }
            }
            #[cfg(not(CONFIG_TRACEPOINTS))]
            let _ = event;
        }
    };
}

event! {
    /// A folio was stored, whose first slot and pages these are, or was refused.
    #[cfg(CONFIG_ZSWAP_RUST)]
    store => zswap_store, (SwapEntry, usize, Outcome),
        |(first, pages, outcome)| (first.as_raw(), pages as u32, outcome as u32)
}

event! {
    /// The page of this slot is about to be decompressed.
    #[cfg(CONFIG_ZSWAP_RUST)]
    load_begin => zswap_load_begin, SwapEntry, |slot| (slot.as_raw())
}

event! {
    /// The page of this slot was decompressed, or couldn't be.
    #[cfg(CONFIG_ZSWAP_RUST)]
    load_end => zswap_load_end, (SwapEntry, Option<Error>),
        |(slot, error)| (slot.as_raw(), events::errno(error))
}

event! {
    /// The page of this slot was handed to the device, or wasn't.
    #[cfg(CONFIG_ZSWAP_RUST)]
    writeback => zswap_writeback, (SwapEntry, Option<Error>),
        |(slot, error)| (slot.as_raw(), events::errno(error))
}

event! {
    /// What is kept for this slot goes, as the slot is being freed.
    #[cfg(CONFIG_ZSWAP_RUST)]
    invalidate => zswap_invalidate, SwapEntry, |slot| (slot.as_raw())
}

event! {
    /// A walk over a list is over.
    #[cfg(CONFIG_ZSWAP_RUST)]
    shrink<'a> => zswap_shrink, Walk<'a>, |walk| (
        walk.nid.as_raw(),
        MemCgroup::raw(walk.memcg),
        walk.left,
        walk.freed,
        walk.in_swap_cache
    )
}

event! {
    /// A folio of this order was to be added to the swap cache for the slot.
    #[cfg(any(CONFIG_SWAP_CACHE_RUST, not(CONFIG_TRACEPOINTS)))]
    swap_cache_add<'a> => swap_cache_add, (Slot<'a>, u32, Option<Error>),
        |(slot, order, error)| (slot.as_raw(), order, events::errno(error))
}

/// C's side.
#[cfg(CONFIG_TRACEPOINTS)]
mod events {
    use crate::{
        bindings,
        prelude::*, //
    };

    #[cfg(CONFIG_ZSWAP_RUST)]
    crate::declare_trace! {
        /// # Safety
        ///
        /// None: it takes numbers.
        pub(super) unsafe fn zswap_store(
            first: bindings::swp_entry_t,
            pages: c_uint,
            outcome: c_uint,
        );

        /// # Safety
        ///
        /// None: it takes numbers.
        pub(super) unsafe fn zswap_load_begin(slot: bindings::swp_entry_t);

        /// # Safety
        ///
        /// None: it takes numbers.
        pub(super) unsafe fn zswap_load_end(slot: bindings::swp_entry_t, error: c_int);

        /// # Safety
        ///
        /// None: it takes numbers.
        pub(super) unsafe fn zswap_writeback(slot: bindings::swp_entry_t, error: c_int);

        /// # Safety
        ///
        /// None: it takes numbers.
        pub(super) unsafe fn zswap_invalidate(slot: bindings::swp_entry_t);

        /// # Safety
        ///
        /// `memcg` must be null or a group that somebody has a reference to.
        pub(super) unsafe fn zswap_shrink(
            nid: c_int,
            memcg: *mut bindings::mem_cgroup,
            left: c_ulong,
            freed: c_ulong,
            in_swap_cache: bool,
        );
    }

    #[cfg(CONFIG_SWAP_CACHE_RUST)]
    crate::declare_trace! {
        /// # Safety
        ///
        /// None: it takes numbers.
        pub(super) unsafe fn swap_cache_add(
            slot: bindings::swp_entry_t,
            order: c_uint,
            error: c_int,
        );
    }

    /// Whether somebody listens. Mirrors `trace_EVENT_enabled()`.
    macro_rules! enabled {
        ($event:ident) => {
            // SAFETY: The key is that of a tracepoint, a static one.
            unsafe {
                crate::macros::paste! {
                    crate::jump_label::static_branch_unlikely!(
                        crate::bindings::[< __tracepoint_ $event >],
                        crate::bindings::tracepoint,
                        key
                    )
                }
            }
        };
    }
    pub(super) use enabled;

    pub(super) fn errno(error: Option<Error>) -> c_int {
        error.map_or(0, Error::to_errno)
    }

    #[cfg(CONFIG_ZSWAP_RUST)]
    const _: () = {
        use super::Outcome::*;
        assert!(Stored as c_uint == bindings::zswap_outcome_ZSWAP_STORED);
        assert!(Disabled as c_uint == bindings::zswap_outcome_ZSWAP_DISABLED);
        assert!(CgroupLimit as c_uint == bindings::zswap_outcome_ZSWAP_CGROUP_LIMIT);
        assert!(PoolLimit as c_uint == bindings::zswap_outcome_ZSWAP_POOL_LIMIT);
        assert!(NoPool as c_uint == bindings::zswap_outcome_ZSWAP_NO_POOL);
        assert!(NoMemory as c_uint == bindings::zswap_outcome_ZSWAP_NO_MEMORY);
        assert!(NoRoom as c_uint == bindings::zswap_outcome_ZSWAP_NO_ROOM);
        assert!(NoCompressor as c_uint == bindings::zswap_outcome_ZSWAP_NO_COMPRESSOR);
        assert!(NotCompressed as c_uint == bindings::zswap_outcome_ZSWAP_NOT_COMPRESSED);
    };
}
