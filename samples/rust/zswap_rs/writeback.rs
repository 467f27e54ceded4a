// SPDX-License-Identifier: GPL-2.0-or-later

//! Writing an entry on to the swap device: the swapout that storing has put off, resumed.

use super::{
    entry::{
        Entry,
        Identity, //
    },
    load::decompress_entry,
    stats, //
};
use kernel::{
    error::code::{
        EEXIST,
        ENOMEM, //
    },
    mm::{
        swap::{
            Added,
            SwapDevice, //
        },
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
    race_point, //
};

/// What became of an entry that was to be written back, and is gone.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Gone {
    /// Its page was handed to the device.
    Written,
    /// The slot is all zeroes now: it was older, and was dropped.
    Stale,
}

/// Writes the page of the entry `identity` to the device, and frees the entry.
///
/// Wins the slot by adding a new folio to the swap cache for it. `EEXIST` if the slot has a folio:
/// somebody is using the page. Never waits for that folio's lock, since this runs in reclaim, under
/// other folios' locks. Only the winner may look whether the entry is still the slot's.
///
/// May sleep. Enters the block layer, and perhaps a file system. Mirrors `zswap_writeback_entry()`.
pub(crate) fn write_back(identity: Identity) -> Result<Gone> {
    race_point!("writeback:after_lru_unlock");
    // The device is going: its pages are being read as it is.
    let device = SwapDevice::get(identity.swap()).ok_or(EEXIST)?;
    race_point!("writeback:after_get_device");
    let folio = match device.add_folio(GFP_KERNEL) {
        Added::New(folio) => folio,
        Added::Present => return Err(EEXIST),
        Added::Failed(error) => return Err(error),
    };
    // The folio keeps the slot from here on, and so the device.
    drop(device);
    race_point!("writeback:after_add_folio");

    // The slot's page is all zeroes now, which zswap isn't told: the entry is older. Written to the
    // device or shown to anybody, it would bring the old page back.
    let folio = match folio.check_zero_mark() {
        Ok(folio) => folio,
        Err(zero) => {
            let found = zero.discard_stale::<Entry>();
            return if found { Ok(Gone::Stale) } else { Err(ENOMEM) };
        }
    };

    // If the closure fills the folio, the entry is taken and freed, the folio marked uptodate and
    // submitted, in this order. A slot that has been freed meanwhile fails with `ENOMEM` as well.
    let written = folio.write::<Entry>(|entry, contents| {
        // It may have been freed and used again.
        if entry.identity() != identity {
            return Err(ENOMEM);
        }
        let filled = decompress_entry(entry.get(), contents)?;
        race_point!("writeback:after_decompress");

        vmstat::count(Event::ZSWPWB, 1);
        if let Some(objcg) = entry.objcg() {
            objcg.count(Event::ZSWPWB, 1);
        }
        Ok(filled)
    });
    match written {
        Ok(()) => {
            stats::inc(&stats::zswap_written_back_pages);
            Ok(Gone::Written)
        }
        Err((folio, error)) => {
            folio.discard(); // out of the swap cache, unlocked, put
            Err(error)
        }
    }
}
