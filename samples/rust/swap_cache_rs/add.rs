// SPDX-License-Identifier: GPL-2.0-or-later

//! Adding a new folio to the swap cache.

use super::trace;
use kernel::{
    mm::{
        fault::AllocContext,
        swap_add::{
            count_fallback,
            Added,
            AddedPtr,
            Fallback,
            FreshFolio,
            NewFolio, //
        },
        swap_cluster::{
            Slot,
            SLOTS_PER_CLUSTER, //
        },
        swap_table::SwapTableEntry, //
    },
    prelude::*,
    race_point, //
};

/// The orders of all folios that fit into a cluster, one bit per order.
const MAX_ORDERS: usize = (SLOTS_PER_CLUSTER << 1) - 1;

/// Tries to add a new folio for `slot`, of the largest possible of `orders` (one bit per order).
///
/// May sleep if the flags allow it, but never waits for a folio's lock: if the slot already has a
/// folio, returns only that fact.
pub(crate) fn add(slot: Slot<'_>, orders: usize, context: &AllocContext<'_>) -> AddedPtr {
    add_largest(slot, orders, context).into()
}

fn add_largest(slot: Slot<'_>, mut orders: usize, context: &AllocContext<'_>) -> Added {
    if kernel::warn_on_once!(orders == 0 || orders > MAX_ORDERS) {
        return Added::Failed(EINVAL);
    }
    loop {
        // `orders` isn't zero: checked above and at the end of the loop.
        let order = orders.checked_ilog2().unwrap_or(0);
        let largest = 1usize.wrapping_shl(order);
        let added = add_one(slot, order, context);
        trace::add(|| (slot, order, added.as_ref().err().copied()));
        let error = match added {
            Ok(folio) => return Added::New(folio),
            Err(EEXIST) => return Added::Present,
            Err(error) => error,
        };
        if order == 0 || !matches!(error, EBUSY | ENOMEM) {
            return Added::Failed(error);
        }
        count_fallback(order, Fallback::Smaller);
        orders ^= largest;
        if orders == 0 {
            return Added::Failed(error);
        }
    }
}

/// Adds a folio of one size. Mirrors `__swap_cache_alloc()`.
fn add_one(slot: Slot<'_>, order: u32, context: &AllocContext<'_>) -> Result<NewFolio> {
    is_worth_allocating(slot, order)?;
    let folio = FreshFolio::alloc(order, context).ok_or(ENOMEM)?;
    race_point!("add:after_alloc");
    // Another task may have added a folio in the meantime.
    slot.add_folio(folio, context)
}

/// An optimistic check before allocating: [`Slot::add_folio`] revalidates under the cluster lock.
fn is_worth_allocating(slot: Slot<'_>, order: u32) -> Result {
    if order > 0 {
        return slot.is_vacant(order);
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
