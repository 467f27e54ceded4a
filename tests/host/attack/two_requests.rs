// SPDX-License-Identifier: GPL-2.0-or-later
// "One request at a time": two tasks use one CPU's context.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage, page::PAGE_SIZE, prelude::*};

pub fn attack(
    #[cfg(attack)] compressor: &Compressor,
    #[cfg(control)] compressor: &mut Compressor,
    page: FolioPage<'_>,
    buffer: &mut KBox<[u8; PAGE_SIZE]>,
) -> Result<usize> {
    Ok(compressor.compress(page, buffer)?.len()) //~[attack] E0596
}
