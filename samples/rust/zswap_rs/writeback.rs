// SPDX-License-Identifier: GPL-2.0-or-later

//! Writeback of an entry to the swap device: resumes the swap-out that the store had deferred.

use super::{
    load::decompress_entry,
    stats, //
    zswap_core::{
        entry::Identity,
        load_states::check_zero_mark, //
    },
};
use kernel::{
    mm::{
        swap_add::Added,
        swap_cache::SwapDevice,
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
    race_point, //
};

/// How an entry that was to be written back was freed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum WrittenBack {
    /// Its page was submitted to the device.
    Written,
    /// The slot has the zero mark now, so the entry was stale and was dropped.
    Stale,
}

/// Writes the page of the entry `identity` to the device, and frees the entry.
///
/// Gains exclusive access to the slot by adding a new folio to the swap cache for it. Fails with
/// `EEXIST` if the slot has a folio, since another task uses the page. Never waits for that folio's
/// lock, since this runs in reclaim, under other folios' locks. Only the task that added the folio
/// may check whether the entry is still the slot's.
///
/// May sleep. Enters the block layer, and possibly a file system. Mirrors
/// `zswap_writeback_entry()`.
pub(crate) fn write_back(identity: Identity) -> Result<WrittenBack> {
    race_point!("writeback:after_lru_unlock");
    // On failure the device is going away: swapoff is reading all its pages.
    let device = SwapDevice::get(identity.swap()).ok_or(EEXIST)?;
    race_point!("writeback:after_get_device");
    let folio = match device.add_folio(GFP_KERNEL) {
        Added::New(folio) => folio,
        Added::Present => return Err(EEXIST),
        Added::Failed(error) => return Err(error),
    };
    // From here on the folio keeps the slot, and so the device.
    drop(device);
    race_point!("writeback:after_add_folio");

    // With the zero mark, the slot's page is all zeroes. C marks without telling zswap: the entry is stale.
    // Writing it to the device or letting a task see it would bring the old page back.
    let folio = match check_zero_mark(folio) {
        Ok(folio) => folio,
        Err(zero) => {
            let found = zero.discard_stale();
            return if found {
                Ok(WrittenBack::Stale)
            } else {
                Err(ENOMEM)
            };
        }
    };

    // If the closure fills the folio, `write` takes and frees the entry, marks the folio uptodate
    // and submits it, in this order. It also fails with `ENOMEM` if the slot was freed meanwhile.
    let written = folio.write(|entry, contents| {
        // The slot may have been freed and reused.
        if entry.identity() != identity {
            return Err(ENOMEM);
        }
        let filled = decompress_entry(entry, contents)?;
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
            Ok(WrittenBack::Written)
        }
        Err((folio, error)) => {
            folio.discard(); // removed from the swap cache, unlocked, put
            Err(error)
        }
    }
}
