// SPDX-License-Identifier: GPL-2.0-or-later

//! Swap-in of a large folio that zswap fills as a whole.

use super::{
    large::MAX_ORDER,
    trace, //
};
use kernel::{
    mm::{
        fault::AllocContext,
        folio::FolioRef,
        swap_add::{
            count_fallback,
            Fallback,
            FreshFolio, //
        },
        swap_cluster::{
            Backing,
            Slot, //
        },
    },
    prelude::*,
    race_point, //
};

/// Swaps in the largest possible of `orders` (one bit per order) that zswap holds.
///
/// Otherwise returns the orders that are left to be tried by [`add`](super::add::add): none above that
/// of a folio that zswap does not hold, and only one page after a failure. One bad page or a lack of
/// memory is not tried again with each smaller order.
///
/// May sleep. Allocates and charges the folio without reclaim: one that does not fit is not worth it.
#[inline(never)] // stack: its locals are not needed to swap in one page
pub(crate) fn swapin(
    slot: Slot<'_>,
    mut orders: usize,
    context: &AllocContext<'_>,
) -> Result<FolioRef, usize> {
    while let Some(order @ 1..) = orders.checked_ilog2() {
        let mut readable = false;
        let vacant = slot.vacancy(order, |backing| {
            readable = backing == Backing::Readable;
            readable || order <= MAX_ORDER && backing.is_worth_filling(order)
        });
        match vacant {
            Ok(()) if readable => return Err(orders),
            Ok(()) => {
                let filled = fill(slot, order, context);
                trace::add(|| (slot, order, filled.as_ref().err().copied()));
                match filled {
                    Ok(folio) => return Ok(folio),
                    Err(EBUSY) => {} // Another task has changed the slots since.
                    Err(EEXIST | ENOENT) => return Err(orders),
                    Err(_) => {
                        count_fallback(order, Fallback::Smaller);
                        return Err(orders & 1);
                    }
                }
            }
            Err(EBUSY) => {}
            Err(_) => return Err(orders),
        }
        orders ^= 1usize.wrapping_shl(order);
    }
    Err(orders)
}

/// Adds a folio of one size, and lets zswap fill it.
fn fill(slot: Slot<'_>, order: u32, context: &AllocContext<'_>) -> Result<FolioRef> {
    let context = context.without_reclaim();
    race_point!("whole:after_vacancy");
    let folio = FreshFolio::alloc(order, &context).ok_or(ENOMEM)?;
    let folio = slot.add_zswap_folio(folio, &context)?;
    race_point!("whole:after_add");
    let folio = folio.fill()?;
    race_point!("whole:after_unlock");
    Ok(folio)
}
