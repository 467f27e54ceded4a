// SPDX-License-Identifier: GPL-2.0-or-later

//! Loading a large folio as a whole.

use super::{
    compress::{
        are_alike,
        decompress_each, //
    },
    stats, trace,
    zswap_core::whole_folio::{
        FilledFolio,
        MappedFolio,
        WholeFolio, //
    },
};
use core::iter;
use kernel::{
    mm::{
        memcontrol::ObjCgroup,
        vmstat::Event, //
    },
    prelude::*,
    race_point, //
};

/// Fills a large folio from the entries of its slots, which stay in their slots.
///
/// If a page can't be decompressed, the caller discards the folio. The page is reported when it is loaded alone, as in
/// [`load`](super::load::load): an accelerator may also fail because it is busy.
///
/// Runs in a task that may sleep. C has no counterpart: it swaps in the pages of such a folio one by one.
pub(crate) fn fill(folio: WholeFolio<'_>) -> Result<FilledFolio<'_>> {
    let filled = folio.fill(|mut pages, filled| {
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
                Ok(())
            })?;
        }
        Ok(())
    });
    let filled = filled.inspect_err(|_| stats::inc(&stats::zswap_large_load_fail))?;
    stats::inc(&stats::zswap_large_loads);
    let zeroes = filled.zeroes();
    let objcg = ObjCgroup::of_folio(&filled);
    stats::count(
        objcg.as_deref(),
        Event::ZSWPIN,
        filled.nr_pages().wrapping_sub(zeroes),
    );
    if zeroes > 0 {
        stats::count(objcg.as_deref(), Event::SWPIN_ZERO, zeroes);
    }
    Ok(filled)
}

/// Whether zswap has any page of a large folio that is not mapped yet. Doesn't sleep.
pub(crate) fn has(mut folio: MappedFolio<'_>) -> bool {
    folio.has_entries()
}

/// The first mapping of a large folio: it is not deleted from the swap cache any more, so that its entries are no
/// longer needed. Returns whether there were any. Doesn't sleep.
pub(crate) fn mapped(folio: MappedFolio<'_>) -> bool {
    folio.take_over()
}
