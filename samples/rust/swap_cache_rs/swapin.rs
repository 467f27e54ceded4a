// SPDX-License-Identifier: GPL-2.0-or-later

//! Swap-in: adds a new folio to the swap cache for a slot, and reads the page into it, or lets zswap fill it.

#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use super::large::MAX_ORDER;
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use kernel::mm::swap_cluster::zswap_never_enabled;
use kernel::{
    mm::{
        fault::AllocContext,
        folio::FolioRef,
        swap_add::{
            count_fallback,
            NewFolio, //
        },
        swap_cache::Reads,
        swap_cluster::{
            Backing,
            Slot,
            SLOTS_PER_CLUSTER, //
        },
        swap_table::SwapTableEntry,
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
    race_point, //
};

kernel::trace_event! {
    /// A folio of this order was added to the swap cache for the slot, or the insertion failed. C defines the event in
    /// `include/trace/events/zswap.h`.
    fn trace_added<'a>(slot: Slot<'a>, order: u32, error: Option<Error>) => swap_cache_add(
        slot: c_ulong = slot.as_raw().val, order: c_uint = order,
        error: c_int = error.map_or(0, Error::to_errno),
    );
}

/// The orders of all folios that fit into a cluster, one bit per order.
const MAX_ORDERS: usize = (SLOTS_PER_CLUSTER << 1) - 1;

/// Tries to add a new folio for `slot`, of the largest possible of `orders` (one bit per order).
///
/// May sleep if the flags allow it, but never waits for a folio's lock: if the slot already has a
/// folio, fails with `EEXIST`.
#[inline]
pub(crate) fn add(slot: Slot<'_>, orders: usize, context: &AllocContext<'_>) -> Result<NewFolio> {
    let (folio, error) = add_largest(slot, orders, context);
    folio.ok_or(error)
}

/// As [`add`], but returns the result in two registers: a `Result` takes stack of the caller.
///
/// Mirrors `swap_cache_alloc_folio()`; [`Slot::add_folio`] is most of `__swap_cache_alloc()`.
fn add_largest(
    slot: Slot<'_>,
    mut orders: usize,
    context: &AllocContext<'_>,
) -> (Option<NewFolio>, Error) {
    if kernel::warn_on_once!(orders == 0 || orders > MAX_ORDERS) {
        return (None, EINVAL);
    }
    loop {
        // `orders` isn't zero: checked above and at the end of the loop.
        let order = orders.checked_ilog2().unwrap_or(0);
        let largest = 1usize.wrapping_shl(order);
        let added = is_worth_allocating(slot, order).and_then(|()| slot.add_folio(order, context));
        trace_added(|| (slot, order, added.as_ref().err().copied()));
        let error = match added {
            Ok(folio) => return (Some(folio), EINVAL),
            Err(error) => error,
        };
        if order == 0 || !matches!(error, EBUSY | ENOMEM) {
            return (None, error);
        }
        count_fallback(order);
        orders ^= largest;
        if orders == 0 {
            return (None, error);
        }
    }
}

/// An optimistic check before allocating: [`Slot::add_folio`] revalidates under the cluster lock.
fn is_worth_allocating(slot: Slot<'_>, order: u32) -> Result {
    if order > 0 {
        return match slot.backing(order)? {
            Backing::Readable => Ok(()),
            Backing::Zswap => Err(EBUSY),
        };
    }
    // One lockless read of a swap-table entry. The value may be stale, but a slot found in a page
    // table or a mapping never reads as free: it got a folio before it got that user. The task that
    // installed the user wrote the swap-table entry first, unlocked the cluster, and then took the
    // lock of the page table or mapping. The read here depends on the swap entry found there.
    match slot.table_entry() {
        SwapTableEntry::Folio(..) => Err(EEXIST),
        SwapTableEntry::Shadow(_, flags) if flags.count() > 0 => Ok(()),
        _ => Err(ENOENT),
    }
}

/// Swaps in the page of `slot`, in a large folio if `orders` has its bit and it can be added, without
/// readahead: for devices that are as fast as memory.
///
/// If zswap holds the pages of a large folio, zswap fills it; if that fails, this swaps in one page.
///
/// Doesn't look the folio up first: the fault path has just done so, and adding also finds a folio
/// that is in the swap cache already.
///
/// May sleep. The folio is unlocked when the read completes or fails.
pub(crate) fn swapin_sync(
    slot: Slot<'_>,
    orders: usize,
    context: &AllocContext<'_>,
) -> Result<FolioRef> {
    #[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
    let orders = if orders > 1 && !zswap_never_enabled() {
        match swapin_whole(slot, orders, context) {
            Ok(folio) => return Ok(folio),
            Err(0) => return Err(EBUSY), // no order was left
            Err(left) => left,
        }
    } else {
        orders
    };
    loop {
        match add(slot, orders, context) {
            Ok(folio) => return Ok(Reads::together(|reads| folio.read(reads))),
            Err(EEXIST) => race_point!("swapin:before_lookup"),
            Err(error) => return Err(error),
        }
        if let Some(folio) = slot.folio() {
            return Ok(folio);
        }
        // The folio has been removed from the swap cache since.
    }
}

/// Swaps in the largest possible of `orders` (one bit per order) that zswap holds.
///
/// Otherwise returns the orders that are left to be tried by [`add`]: none above that
/// of a folio that zswap does not hold, and only one page after a failure. One bad page or a lack of
/// memory is not tried again with each smaller order.
///
/// May sleep. Allocates and charges the folio without reclaim: one that does not fit is not worth it.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
#[inline(never)] // stack: its locals are not needed to swap in one page
pub(crate) fn swapin_whole(
    slot: Slot<'_>,
    mut orders: usize,
    context: &AllocContext<'_>,
) -> Result<FolioRef, usize> {
    while let Some(order @ 1..) = orders.checked_ilog2() {
        match slot.backing(order) {
            Ok(Backing::Zswap) if order <= MAX_ORDER => {
                race_point!("whole:after_vacancy");
                let filled = slot.fill_from_zswap(order, &context.without_reclaim());
                trace_added(|| (slot, order, filled.as_ref().err().copied()));
                match filled {
                    Ok(folio) => {
                        race_point!("whole:after_unlock");
                        return Ok(folio);
                    }
                    Err(EBUSY) => {} // Another task has changed the slots since.
                    Err(EEXIST | ENOENT) => return Err(orders),
                    Err(_) => {
                        count_fallback(order);
                        return Err(orders & 1);
                    }
                }
            }
            Ok(Backing::Zswap) | Err(EBUSY) => {}
            Ok(Backing::Readable) | Err(_) => return Err(orders),
        }
        orders ^= 1usize.wrapping_shl(order);
    }
    Err(orders)
}

/// Returns the folio of `slot`, or a new one-page folio that `reads` will read. Returns `None` if the
/// allocation fails, or if the slot isn't in use. May sleep.
///
/// Looks the folio up first: most pages of a readahead window are in the swap cache already.
pub(crate) fn read(
    slot: Slot<'_>,
    context: &AllocContext<'_>,
    reads: &mut Reads,
    ahead: bool,
) -> Option<FolioRef> {
    loop {
        if let Some(folio) = slot.folio() {
            return Some(folio);
        }
        match add(slot, 1, context) {
            Ok(folio) => {
                let folio = folio.read(reads);
                if ahead {
                    folio.set_readahead();
                    vmstat::count(Event::SWAP_RA, 1);
                }
                return Some(folio);
            }
            Err(EEXIST) => {} // It may have been removed again: look it up.
            Err(_) => return None,
        }
    }
}
