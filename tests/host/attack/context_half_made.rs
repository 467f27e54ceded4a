// SPDX-License-Identifier: GPL-2.0-or-later
// A CPU's context wasn't created, or only half of it: comments in C state which of its members may
// be null (docs/races.md: 4). Here an `Option` must be checked.
//@revisions: control attack
//@[control] check-pass
#![forbid(unsafe_code)]
use kernel::{crypto::acompress::Compressor, mm::folio::FolioPage, prelude::*, sync::Mutex};

pub fn attack(context: Pin<&Mutex<Option<Compressor>>>, page: FolioPage<'_>) -> Result<usize> {
    let mut context = context.lock();
    #[cfg(control)]
    let Some(context) = &mut *context
    else {
        return Err(ENODEV);
    };
    Ok(context.compress(page)?.len()) //~[attack] E0599
}
