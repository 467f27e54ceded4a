// SPDX-License-Identifier: GPL-2.0-or-later
// A page that processes have mapped is borrowed as bytes, which change while they are read: a
// compressor that reads twice sees two pages.
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
