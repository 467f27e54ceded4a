// SPDX-License-Identifier: GPL-2.0-or-later

//! Loading a page that is wanted back.

use super::{
    compress::decompress,
    entry::{
        Entry,
        TREES, //
    },
    exports::glue::never_enabled,
    setup::zswap,
    stats, //
};
use kernel::{
    error::code::{
        EINVAL,
        EIO, //
    },
    mm::{
        folio::{
            Contents,
            Loaded,
            UnreadFolio, //
        },
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
};

/// What came of loading a folio.
pub(crate) enum Load<'a> {
    /// It has its data, and zswap doesn't any more. It is unlocked.
    Loaded(Loaded),
    /// zswap has no data for it: it has to come from the device. It is still locked.
    NotStored(UnreadFolio<'a>),
    /// Its data is in zswap, and can't be had. It is unlocked and not uptodate, so that those who
    /// wait for it get an I/O error. So do those who try again: the data stays where it is, lest
    /// the next one read old data from the device.
    Failed(Error),
}

/// Loads `folio`.
///
/// Runs in a task that may sleep.
pub(crate) fn load(mut folio: UnreadFolio<'_>) -> Load<'_> {
    if never_enabled() {
        return Load::NotStored(folio);
    }
    // Part of a large folio may be in zswap and part on the device, which nobody can load.
    if kernel::warn_on_once!(folio.is_large()) {
        return Load::Failed(EINVAL);
    }

    let (mut cached, mut contents) = folio.split();
    let mut slots = cached.slots(&TREES);
    let Some(slot) = slots.occupied(0) else {
        return Load::NotStored(folio);
    };
    if decompress_entry(slot.get(), &mut contents).is_err() {
        return Load::Failed(EIO);
    }

    vmstat::count(Event::ZSWPIN, 1);
    if let Some(objcg) = slot.get().objcg() {
        objcg.count(Event::ZSWPIN, 1);
    }

    // From here on the folio has the only copy: to keep both would cost more memory than having
    // to compress the page again costs time.
    let entry = slot.take();
    Load::Loaded(folio.loaded_exclusively(entry))
}

/// Decompresses `entry`, and says so if that fails.
fn decompress_entry(entry: &Entry, contents: &mut Contents<'_>) -> Result {
    let object = entry.object();
    decompress(object, contents).map_err(|made| {
        stats::DecompressFail::hit();
        if zswap().is_some_and(|zswap| zswap.may_complain(c"zswap_decompress")) {
            let (device, offset) = (entry.swap().device(), entry.swap().offset());
            let (algorithm, len) = (object.owner().algorithm(), object.len());
            pr_alert!(
                "Decompression error from zswap ({device}:{offset} {algorithm} {len}->{made})\n"
            );
        }
        EIO
    })
}
