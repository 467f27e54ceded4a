// SPDX-License-Identifier: GPL-2.0-or-later

//! Loading a page from zswap.

use super::{
    compress::decompress,
    state::zswap,
    stats, trace,
    zswap_core::{
        entry::Entry,
        load_states::{
            Load,
            UnreadFolio, //
        },
    },
};
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use super::zswap_core::load_states::{
    FilledFolio,
    MappedFolio,
    WholeFolio, //
};
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use kernel::mm::memcontrol::ObjCgroup;
use kernel::{
    mm::{
        folio::{
            NotUptodate,
            Uptodate, //
        },
        vmstat::{
            self,
            Event, //
        },
    },
    prelude::*,
    race_point, //
};

/// Loads `folio` from zswap, if its slot has an entry, and frees the entry.
///
/// An entry that can't be decompressed stays in its slot, and every later load fails with an I/O error
/// as well. Without the entry, the next load would read older data from the device.
///
/// Runs in a task that may sleep. Mirrors `zswap_load()`.
pub(crate) fn load(folio: UnreadFolio<'_>) -> Load<'_> {
    // If the closure fills the folio, `load_exclusively` marks it uptodate and dirty, frees the entry, and unlocks the
    // folio, in this order. As in C, the entry is not retained: the memory pressure of two copies outweighs the
    // compression that would be saved.
    folio.load_exclusively(|entry, contents| {
        race_point!("load:after_lookup");
        trace::load_begin(|| entry.swap());
        let filled = decompress_entry(entry, contents);
        trace::load_end(|| (entry.swap(), filled.as_ref().err().copied()));
        let filled = filled?;
        race_point!("load:after_decompress");

        vmstat::count(Event::ZSWPIN, 1);
        if let Some(objcg) = entry.objcg() {
            objcg.count(Event::ZSWPIN, 1);
        }
        Ok(filled)
    })
}

/// Fills a large folio from the entries of its slots, which stay in their slots.
///
/// If a page can't be decompressed, the caller discards the folio, and the next load of that page fails as
/// in [`load`].
///
/// Runs in a task that may sleep. C has no counterpart: it swaps in the pages of such a folio one by one.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
pub(crate) fn fill(folio: WholeFolio<'_>) -> Result<FilledFolio<'_>> {
    let mut filled = folio.fill(|entry, contents| {
        race_point!("fill:before_page");
        trace::load_begin(|| entry.swap());
        let filled = decompress_entry(entry, contents);
        trace::load_end(|| (entry.swap(), filled.as_ref().err().copied()));
        filled
    })?;
    let mut pages = 0usize;
    let zeroes = filled.each_entry(|entry| {
        pages = pages.wrapping_add(1);
        if let Some(objcg) = entry.objcg() {
            objcg.count(Event::ZSWPIN, 1);
        }
    });
    vmstat::count(Event::ZSWPIN, pages);
    if zeroes > 0 {
        vmstat::count(Event::SWPIN_ZERO, zeroes);
        if let Some(objcg) = ObjCgroup::of_folio(&filled) {
            objcg.count(Event::SWPIN_ZERO, zeroes);
        }
    }
    Ok(filled)
}

/// The first mapping of a large folio: it is not deleted from the swap cache any more, so that its entries are no
/// longer needed. Returns whether there were any. Doesn't sleep.
#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
pub(crate) fn mapped(folio: MappedFolio<'_>) -> bool {
    folio.take_over()
}

/// Decompresses `entry`, and reports a failure. Mirrors `zswap_decompress()`.
pub(crate) fn decompress_entry<'a>(
    entry: &Entry,
    contents: NotUptodate<'a>,
) -> Result<Uptodate<'a>> {
    decompress(entry.object(), contents).map_err(|made| report_failure(entry, made))
}

/// Counts and prints a failure. Not inlined, since printing needs a large stack frame.
#[cold]
#[inline(never)]
fn report_failure(entry: &Entry, made: usize) -> Error {
    stats::inc(&stats::zswap_decompress_fail);
    if zswap().is_some_and(|zswap| zswap.may_report_failure(c"zswap_decompress")) {
        let (device, offset) = (entry.swap().device(), entry.swap().offset());
        let object = entry.object();
        let (algorithm, len) = (object.pool().algorithm(), object.len());
        let made = made as i32; // an int, as in C
        pr_alert!("Decompression error from zswap ({device}:{offset} {algorithm} {len}->{made})\n");
    }
    EIO
}
