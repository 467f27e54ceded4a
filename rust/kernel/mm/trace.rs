// SPDX-License-Identifier: GPL-2.0

//! Tracepoints of zswap and the swap cache.
//!
//! Each takes a closure that produces the event's fields, called only if the event is enabled. A
//! disabled tracepoint is one instruction (with `CONFIG_JUMP_LABEL`); without `CONFIG_TRACEPOINTS`
//! it is none.
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

// Without tracepoints the function does nothing. The host models use it, too: they have a swap
// cache and no configuration.
#[cfg(any(CONFIG_SWAP_CACHE_RUST, not(CONFIG_TRACEPOINTS)))]
use crate::mm::swap_cache::Slot;

use crate::error::Error;

/// The outcome of storing a folio. Mirrors `enum zswap_outcome`.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
#[cfg(CONFIG_ZSWAP_RUST)]
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
    /// There is no memory for an entry, its list, or its place in the tree.
    NoMemory,
    /// There is no memory for the compressed page.
    NoRoom,
    /// This CPU was brought up without a compressor.
    NoCompressor,
    /// The compressor failed, or made the page no smaller, and the cgroup has writeback disabled.
    NotCompressed,
}

/// The fields of [`shrink`].
#[cfg(CONFIG_ZSWAP_RUST)]
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

/// Defines the function of an event: what its closure returns, and how that maps to the event's
/// fields.
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
                // SAFETY: An event takes numbers; `zswap_shrink` also takes a cgroup that is
                // borrowed or null.
                unsafe { events::$event($($arg),*) }
            }
            #[cfg(not(CONFIG_TRACEPOINTS))]
            let _ = event;
        }
    };
}

event! {
    /// A folio was stored or refused: its first slot, its number of pages, how many of these have the zero
    /// mark, and the outcome.
    #[cfg(CONFIG_ZSWAP_RUST)]
    store => zswap_store, (SwapEntry, usize, usize, Outcome),
        |(first, pages, zeroes, outcome)| (first.as_raw(), pages as u32, zeroes as u32, outcome as u32)
}

event! {
    /// The page of this slot is about to be decompressed.
    #[cfg(CONFIG_ZSWAP_RUST)]
    load_begin => zswap_load_begin, SwapEntry, |slot| (slot.as_raw())
}

event! {
    /// The page of this slot was decompressed, or decompression failed.
    #[cfg(CONFIG_ZSWAP_RUST)]
    load_end => zswap_load_end, (SwapEntry, Option<Error>),
        |(slot, error)| (slot.as_raw(), events::errno(error))
}

event! {
    /// The page of this slot was written back, or writeback failed.
    #[cfg(CONFIG_ZSWAP_RUST)]
    writeback => zswap_writeback, (SwapEntry, Option<Error>),
        |(slot, error)| (slot.as_raw(), events::errno(error))
}

event! {
    /// The entry of this slot is dropped, since the slot is being freed.
    #[cfg(CONFIG_ZSWAP_RUST)]
    invalidate => zswap_invalidate, SwapEntry, |slot| (slot.as_raw())
}

event! {
    /// A walk over a list has ended.
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
    /// A folio of this order was added to the swap cache for the slot, or adding it failed.
    #[cfg(any(CONFIG_SWAP_CACHE_RUST, not(CONFIG_TRACEPOINTS)))]
    swap_cache_add<'a> => swap_cache_add, (Slot<'a>, u32, Option<Error>),
        |(slot, order, error)| (slot.as_raw(), order, events::errno(error))
}

/// The tracepoints, defined in C.
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
            zeroes: c_uint,
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
        /// `memcg` must be null or a cgroup that is kept by a reference.
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

    /// Whether the event is enabled. Mirrors `trace_EVENT_enabled()`.
    macro_rules! enabled {
        ($event:ident) => {
            // SAFETY: The key is a tracepoint's, and a static.
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
