// SPDX-License-Identifier: GPL-2.0

//! The event counters of `/proc/vmstat`.
//!
//! C header: [`include/linux/vmstat.h`](srctree/include/linux/vmstat.h)

use crate::{
    bindings,
    prelude::*, //
};

/// An event that memory management counts. Mirrors `enum vm_event_item`.
#[derive(Clone, Copy)]
pub struct Event(pub(super) bindings::vm_event_item);

#[cfg(CONFIG_SWAP)]
impl Event {
    /// Readahead read a page from the swap device.
    pub const SWAP_RA: Self = Self(bindings::vm_event_item_SWAP_RA);
    /// A page that readahead had read was used.
    pub const SWAP_RA_HIT: Self = Self(bindings::vm_event_item_SWAP_RA_HIT);
}

#[cfg(CONFIG_ZSWAP)]
impl Event {
    /// A zero-filled page was swapped in, by the zeromap bit of its slot.
    pub const SWPIN_ZERO: Self = Self(bindings::vm_event_item_SWPIN_ZERO);
    /// A zero-filled page was swapped out, by the zeromap bit of its slot.
    pub const SWPOUT_ZERO: Self = Self(bindings::vm_event_item_SWPOUT_ZERO);
    /// A page was loaded from zswap.
    pub const ZSWPIN: Self = Self(bindings::vm_event_item_ZSWPIN);
    /// A page was stored in zswap.
    pub const ZSWPOUT: Self = Self(bindings::vm_event_item_ZSWPOUT);
    /// A page was written back from zswap to the swap device.
    pub const ZSWPWB: Self = Self(bindings::vm_event_item_ZSWPWB);
}

/// Counts `delta` events, in the unit of `event` (pages, for the events above). Any context.
///
/// Mirrors `count_vm_events()`.
///
/// # Examples
///
/// ```
/// use kernel::mm::vmstat::{self, Event};
///
/// fn read_ahead(pages: usize) {
///     vmstat::count(Event::SWAP_RA, pages);
/// }
/// # read_ahead(0);
/// ```
#[inline]
pub fn count(event: Event, delta: usize) {
    // SAFETY: Every `Event` is one of the enum's items, an index of the counters.
    unsafe { bindings::count_vm_events(event.0, delta as c_long) }
}
