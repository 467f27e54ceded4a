// SPDX-License-Identifier: GPL-2.0-or-later
// A page that processes have mapped is borrowed as bytes, which may change concurrently: a
// compressor that reads twice sees different data.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::mm::{folio::CachedFolio, folio::FolioPage};

pub fn attack(page: FolioPage<'_>, folio: &CachedFolio<'_>) -> usize {
    let _ = folio.nr_pages();
    #[cfg(attack)]
    return page.with_mapped(|bytes| bytes.addr()); //~[attack] E0624
    page.nid();
    0
}
