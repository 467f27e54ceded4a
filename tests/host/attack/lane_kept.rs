// SPDX-License-Identifier: GPL-2.0-or-later
// One page's compressed data is read after its lane was reused for another
// page, while hardware writes there.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{crypto::acompress::Lanes, mm::folio::FolioPage, prelude::*};

pub fn attack<'p>(mut lanes: Lanes<'_>, pages: &[FolioPage<'p>]) -> Result<usize> {
    let mut kept: &[u8] = &[];
    let mut len = 0;
    lanes.compress_each(pages.iter().copied(), |_, compressed| {
        let compressed = compressed?;
        #[cfg(attack)]
        {
            kept = compressed; //~[attack] E0521
        }
        len += compressed.len();
        Ok::<(), Error>(())
    })?;
    let _ = &mut kept;
    Ok(len + kept.len())
}
