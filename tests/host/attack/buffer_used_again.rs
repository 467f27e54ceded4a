// SPDX-License-Identifier: GPL-2.0-or-later
// The next page is compressed into the buffer before the last one was copied to its object.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage, page::PAGE_SIZE, prelude::*};

pub fn attack(
    compressor: &mut Compressor,
    page: FolioPage<'_>,
    buffer: &mut KBox<[u8; PAGE_SIZE]>,
) -> Result<usize> {
    let one = compressor.compress(page, buffer)?;
    #[cfg(control)]
    let one = one.len();
    let two = compressor.compress(page, buffer)?; //~[attack] E0499
    #[cfg(attack)]
    let one = one.len();
    Ok(one + two.len())
}
