// SPDX-License-Identifier: GPL-2.0-or-later

//! Writing an entry on to the swap device: the swapout that storing has put off, resumed.

use super::{
    entry::{
        Identity,
        TREES, //
    },
    load::decompress_entry,
    stats, //
};
use kernel::{
    error::code::{
        EEXIST,
        EINVAL,
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

/// Frees the entry that `identity` is of: writes its page to the device.
///
/// Wins the slot by putting a new folio into the swap cache for it. If there is a folio already,
/// somebody is using the page: this is `EEXIST`, and never waits, since it runs in reclaim, under
/// other folios' locks. Only who has won the slot may look whether the entry is still the slot's.
///
/// May sleep. Enters the block layer, and perhaps a file system.
pub(crate) fn write_back(identity: Identity) -> Result {
    race_point!("writeback:unlocked");
    // The device is going: its pages are being read as it is.
    let device = SwapDevice::get(identity.swap()).ok_or(EEXIST)?;
    race_point!("writeback:device");
    let mut folio = match device.add_folio(GFP_KERNEL) {
        Added::New(folio) => folio,
        Added::Present => return Err(EEXIST),
        Added::Failed(error) => return Err(error),
    };
    // The folio keeps the slot from here on, and so the device.
    drop(device);
    race_point!("writeback:added");

    // The slot's page is all zeroes now, of which nobody has told us: the entry is older. Written
    // or shown to anybody, it would bring the old page back.
    if folio.is_marked_zero() {
        return folio.with_cached(|folio| {
            drop(folio.slots(&TREES).occupied(0).ok_or(ENOMEM)?.take());
            Ok(())
        });
    }

    let written = folio.write_exclusively(|folio, contents| {
        // The slot may have been freed and used again meanwhile.
        let slot = folio
            .slots(&TREES)
            .occupied(0)
            .filter(|slot| slot.get().identity() == identity)
            .ok_or(ENOMEM)?;
        let filled = decompress_entry(slot.get().get(), contents.ok_or(EINVAL)?)?;
        race_point!("writeback:decompressed");

        vmstat::count(Event::ZSWPWB, 1);
        if let Some(objcg) = slot.get().objcg() {
            objcg.count(Event::ZSWPWB, 1);
        }
        Ok((filled, slot.take()))
    });
    written.inspect(|()| stats::WrittenBackPages::hit())
}
