// SPDX-License-Identifier: GPL-2.0-or-later
// Another page is submitted to a compressor's lanes while they have pages in flight.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage, prelude::*};

pub fn attack<'p>(compressor: &mut Compressor, pages: &[FolioPage<'p>]) -> Result {
    let Some(mut lanes) = compressor.lanes() else {
        return Err(EINVAL);
    };
    lanes.compress_each(pages.iter().copied(), |_page, _| {
        //~[attack]^ E0499
        //~[attack]^^ E0499
        #[cfg(attack)]
        lanes.compress_each([_page], |_, _| Ok::<(), Error>(()))?;
        Ok(())
    })
}
