// SPDX-License-Identifier: GPL-2.0-or-later

//! Loading a page that is wanted back.

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

/// Loads `folio` from zswap, if it has the data, and frees the entry.
///
/// An entry that can't be decompressed stays where it is: an I/O error now and at every later try.
/// Without it, the next reader would get what the device has, which is old.
///
/// Runs in a task that may sleep. Mirrors `zswap_load()`.
pub(crate) fn load(folio: UnreadFolio<'_>) -> Load<'_> {
    // If the closure fills the folio, it is marked uptodate and dirty, the entry is taken and freed,
    // and the folio unlocked, in this order. To keep both copies would cost more memory than
    // compressing the page again costs time.
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

/// Decompresses `entry`, and reports a failure. Mirrors `zswap_decompress()`.
pub(crate) fn decompress_entry<'a>(
    entry: &Entry,
    contents: NotUptodate<'a>,
) -> Result<Uptodate<'a>> {
    decompress(entry.object(), contents).map_err(|made| report_failure(entry, made))
}

/// Counts and prints a failure. Off the hot path: printing takes stack.
#[cold]
#[inline(never)]
fn report_failure(entry: &Entry, made: usize) -> Error {
    stats::inc(&stats::zswap_decompress_fail);
    if zswap().is_some_and(|zswap| zswap.may_report_failure(c"zswap_decompress")) {
        let (device, offset) = (entry.swap().device(), entry.swap().offset());
        let object = entry.object();
        let (algorithm, len) = (object.pool().algorithm(), object.len());
        let made = made as i32; // as C has it: an int
        pr_alert!("Decompression error from zswap ({device}:{offset} {algorithm} {len}->{made})\n");
    }
    EIO
}
