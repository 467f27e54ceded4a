// SPDX-License-Identifier: GPL-2.0-or-later

//! Writeback of an entry to the swap device: completes the swap-out that the store has deferred.

use super::{
    load::decompress_entry,
    stats, //
    zswap_core::{
        entry::Identity,
        writeback::{
            write,
            WrittenBack, //
        },
    },
};
use kernel::{
    mm::{
        swap_cache::SwapDevice,
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
    race_point, //
};

/// Writes the page of the entry `identity` to the device, and frees the entry.
///
/// Gains exclusive access to the slot by adding a new folio to the swap cache for it. Fails with
/// `EEXIST` if the slot has a folio, since another task uses the page. Never waits for the lock of that
/// folio, since this runs in reclaim, under the locks of other folios. Only the task that added the folio
/// can check whether the slot still has this entry.
///
/// May sleep. Enters the block layer, and possibly a file system. Mirrors
/// `zswap_writeback_entry()`.
pub(crate) fn write_back(identity: Identity) -> Result<WrittenBack> {
    race_point!("writeback:after_lru_unlock");
    // On failure swapoff is under way, which loads all pages of the device; or it has ended, and freed the entry.
    let device = SwapDevice::get(identity.swap()).ok_or(EEXIST)?;
    race_point!("writeback:after_get_device");
    let folio = device.add_folio(GFP_KERNEL)?;
    // From here on the folio pins the slot, and thereby the device.
    drop(device);
    race_point!("writeback:after_add_folio");

    let written = write(folio, |entry, contents| {
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
    })?;
    if written == WrittenBack::Written {
        stats::inc(&stats::zswap_written_back_pages);
    }
    Ok(written)
}
