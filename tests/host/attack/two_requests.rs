// SPDX-License-Identifier: GPL-2.0-or-later
// "One request at a time": two tasks use one CPU's context.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage, prelude::*};

pub fn attack(
    #[cfg(attack)] compressor: &Compressor,
    #[cfg(control)] compressor: &mut Compressor,
    page: FolioPage<'_>,
) -> Result<usize> {
    Ok(compressor.compress(page)?.len()) //~[attack] E0596
}
