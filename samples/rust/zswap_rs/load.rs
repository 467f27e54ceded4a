// SPDX-License-Identifier: GPL-2.0-or-later

//! Filling a page from its entry.

use super::{
    compress::decompress,
    stats, trace,
    zswap_core::{
        entry::Entry,
        glue::zswap_may_report, //
    },
};
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

/// Fills a folio from its slot's entry. If this fails, the entry stays, and a later load tries again: without the entry
/// it would read older data from the device.
///
/// Runs in a task that may sleep. Mirrors the part of `zswap_load()` that decompresses and counts.
pub(crate) fn fill<'f>(entry: &Entry, contents: NotUptodate<'f>) -> Option<Uptodate<'f>> {
    race_point!("load:after_lookup");
    trace::load_begin(|| entry.swap());
    let filled = decompress_entry(entry, contents);
    trace::load_end(|| (entry.swap(), filled.as_ref().err().copied()));
    let filled = filled.ok()?;
    race_point!("load:after_decompress");

    vmstat::count(Event::ZSWPIN, 1);
    if let Some(objcg) = entry.objcg() {
        objcg.count(Event::ZSWPIN, 1);
    }
    Some(filled)
}

/// Decompresses `entry`, and reports a failure. Mirrors `zswap_decompress()`.
pub(crate) fn decompress_entry<'a>(
    entry: &Entry,
    contents: NotUptodate<'a>,
) -> Result<Uptodate<'a>> {
    decompress(entry.object(), contents).map_err(|made| report_failure(entry, made))
}

/// Counts and prints a failure.
#[inline(never)] // stack: printing needs a large frame
fn report_failure(entry: &Entry, made: usize) -> Error {
    stats::inc(&stats::zswap_decompress_fail);
    if zswap_may_report() {
        let (device, offset) = (entry.swap().device(), entry.swap().offset());
        let object = entry.object();
        let (algorithm, len) = (object.pool().algorithm(), object.len());
        let made = made as i32; // an int, as in C
        pr_alert!("Decompression error from zswap ({device}:{offset} {algorithm} {len}->{made})\n");
    }
    EIO
}
