// SPDX-License-Identifier: GPL-2.0-or-later
// The next page is compressed into the buffer before the last one was copied to its object.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage, prelude::*};

pub fn attack(compressor: &mut Compressor, page: FolioPage<'_>) -> Result<usize> {
    let one = compressor.compress(page)?;
    #[cfg(control)]
    let one = one.len();
    let two = compressor.compress(page)?; //~[attack] E0499
    #[cfg(attack)]
    let one = one.len();
    Ok(one + two.len())
}
