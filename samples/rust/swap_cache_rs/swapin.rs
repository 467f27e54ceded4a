// SPDX-License-Identifier: GPL-2.0-or-later

//! Swapping in: the folio that a slot has, or a new one that is being read.

use super::add::add;
use kernel::{
    alloc::Flags,
    mm::{
        folio::Folio,
        swap::{
            Added,
            Reads, //
        },
        swap_cache::{
            Origin,
            Slot, //
        },
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
    race_point,
    sync::aref::ARef,
};

/// Swaps in the page of `slot`, with its neighbours if `orders` has the bit of a larger folio, and
/// without reading ahead: for devices that are as fast as memory.
///
/// Tries to add a folio first. That finds out whether there is one, as a look beforehand would,
/// which the fault has taken just now.
///
/// May sleep. The folio is unlocked when it has its content.
#[inline]
pub(crate) fn swapin_sync(
    slot: Slot<'_>,
    gfp: Flags,
    orders: usize,
    origin: &Origin<'_>,
) -> Result<ARef<Folio>> {
    loop {
        match add(slot, gfp, orders, origin).into() {
            Added::New(folio) => return Ok(Reads::together(|reads| folio.read(reads))),
            Added::Present => race_point!("swapin:before_lookup"),
            Added::Failed(error) => return Err(error),
        }
        if let Some(folio) = slot.folio() {
            return Ok(folio);
        }
        // It has left since.
    }
}

/// The folio that `slot` has, or a new one of one page that `reads` will read. None if there is no
/// memory, or the slot isn't in use. May sleep.
///
/// Looks first: around a page that is read ahead, most are there.
#[inline]
pub(crate) fn read(
    slot: Slot<'_>,
    gfp: Flags,
    origin: &Origin<'_>,
    reads: &mut Reads,
    ahead: bool,
) -> Option<ARef<Folio>> {
    loop {
        if let Some(folio) = slot.folio() {
            return Some(folio);
        }
        match add(slot, gfp, 1, origin).into() {
            Added::New(folio) => {
                let folio = folio.read(reads);
                if ahead {
                    folio.set_readahead();
                    vmstat::count(Event::SWAP_RA, 1);
                }
                return Some(folio);
            }
            Added::Present => {} // It may be gone again: look.
            Added::Failed(_) => return None,
        }
    }
}
