// SPDX-License-Identifier: GPL-2.0-or-later

//! Swap-in: returns a slot's folio, or adds a new one and reads the page into it.

use super::add::add;
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use kernel::mm::swap_large::zswap_never_enabled;
use kernel::{
    mm::{
        fault::AllocContext,
        folio::FolioRef,
        swap_add::Added,
        swap_cache::Reads,
        swap_cluster::Slot,
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
    race_point, //
};

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
        match super::whole::swapin(slot, orders, context) {
            Ok(folio) => return Ok(folio),
            Err(0) => return Err(EBUSY), // no order was left
            Err(left) => left,
        }
    } else {
        orders
    };
    loop {
        match add(slot, orders, context).into() {
            Added::New(folio) => return Ok(Reads::together(|reads| folio.read(reads))),
            Added::Present => race_point!("swapin:before_lookup"),
            Added::Failed(error) => return Err(error),
        }
        if let Some(folio) = slot.folio() {
            return Ok(folio);
        }
        // The folio has been removed from the swap cache since.
    }
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
        match add(slot, 1, context).into() {
            Added::New(folio) => {
                let folio = folio.read(reads);
                if ahead {
                    folio.set_readahead();
                    vmstat::count(Event::SWAP_RA, 1);
                }
                return Some(folio);
            }
            Added::Present => {} // It may have been removed again: look it up.
            Added::Failed(_) => return None,
        }
    }
}
