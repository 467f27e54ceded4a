// SPDX-License-Identifier: GPL-2.0-or-later

//! Filling a large folio as a whole.

use super::{
    compress::{
        are_alike,
        decompress_each, //
    },
    stats,
    trace,
    zswap_core::whole::EntryPages, //
};
use core::iter;
use kernel::{
    mm::{
        folio::FilledPages,
        memcontrol::ObjCgroup,
        vmstat::Event, //
    },
    prelude::*,
    race_point, //
};

/// Fills a large folio from the entries of its slots, which stay in their slots.
///
/// If a page can't be decompressed, the caller discards the folio. The page is reported when it is loaded alone, as in
/// [`load`](super::load): an accelerator may also fail because it is busy.
///
/// Runs in a task that may sleep. C has no counterpart: it swaps in the pages of such a folio one by one.
pub(crate) fn fill<'f>(pages: EntryPages<'_, '_, 'f>, filled: &FilledPages<'f>) -> Result {
    fill_each(pages, filled).inspect_err(|_| stats::inc(&stats::zswap_large_load_fail))
}

fn fill_each<'f>(mut pages: EntryPages<'_, '_, 'f>, filled: &FilledPages<'f>) -> Result {
    let mut loaded = 0usize;
    // One run of pages after the other.
    let mut next = pages.next();
    while let Some(&(first, _)) = next.as_ref() {
        let run = iter::from_fn(|| {
            let page = next.take_if(|page| are_alike(page.0.object(), first.object()))?;
            next = pages.next();
            race_point!("fill:before_page");
            trace::load_begin(|| page.0.swap());
            Some(page)
        });
        decompress_each(first.object(), run, |entry, page| {
            let page = page.map_err(|_| EIO);
            trace::load_end(|| (entry.swap(), page.as_ref().err().copied()));
            filled.add(page?);
            loaded = loaded.wrapping_add(1);
            Ok(())
        })?;
    }
    stats::inc(&stats::zswap_large_loads);
    let objcg = ObjCgroup::of_folio(pages.folio());
    stats::count(objcg.as_deref(), Event::ZSWPIN, loaded);
    let zeroes = pages.folio().nr_pages().wrapping_sub(loaded);
    if zeroes > 0 {
        stats::count(objcg.as_deref(), Event::SWPIN_ZERO, zeroes);
    }
    Ok(())
}
