// SPDX-License-Identifier: GPL-2.0-or-later
// Harmless: requests in flight have no handle. Nothing is in flight when the lanes are
// forgotten, and they stay as they were.
//@ check-pass
#![forbid(unsafe_code)]
use core::mem;
use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage, prelude::*};

pub fn forgotten<'p>(compressor: &mut Compressor, pages: &[FolioPage<'p>]) -> Result {
    mem::forget(compressor.lanes());
    match compressor.lanes() {
        Some(mut lanes) => lanes.compress_each(pages.iter().copied(), |page, compressed| {
            let _ = (page, compressed?);
            Ok(())
        }),
        None => Ok(()),
    }
}
