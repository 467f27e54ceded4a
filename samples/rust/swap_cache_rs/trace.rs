// SPDX-License-Identifier: GPL-2.0-or-later

//! Trace events of the swap cache. C defines them in `include/trace/events/zswap.h`.

use kernel::{
    mm::swap_cluster::Slot,
    prelude::*, //
};

kernel::trace_event! {
    /// A folio of this order was added to the swap cache for the slot, or the insertion failed.
    pub(crate) fn add<'a>(slot: Slot<'a>, order: u32, error: Option<Error>) => swap_cache_add(
        slot: c_ulong = slot.as_raw().val, order: c_uint = order,
        error: c_int = error.map_or(0, Error::to_errno),
    );
}
