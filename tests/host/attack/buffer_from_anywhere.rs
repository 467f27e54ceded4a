// SPDX-License-Identifier: GPL-2.0-or-later
// sg_init_one() of memory outside the direct map: the stack, vmalloc() (docs/races.md: 20). A
// compressor has a buffer of its own, and takes no other.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage, page::PAGE_SIZE, prelude::*};

pub fn attack(compressor: &mut Compressor, page: FolioPage<'_>) -> Result<usize> {
    #[cfg(attack)]
    let mut buffer = [0; PAGE_SIZE];
    #[cfg(attack)]
    return Ok(compressor.compress(page, &mut buffer)?.len()); //~[attack] E0061
    Ok(compressor.compress(page)?.len())
}
