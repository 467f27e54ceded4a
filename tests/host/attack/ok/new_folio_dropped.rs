// SPDX-License-Identifier: GPL-2.0-or-later
// A folio that was added is dropped unread, on any path: it leaves the swap cache again, so that
// other tasks find a slot without a folio, and not an unreadable folio. Tests in the kernel cover
// that (tests/kunit/swap_cache.c, tests/vm/nomem-writeback.sh).
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    mm::swap::{Added, SwapDevice},
    prelude::*,
};

pub fn give_up(device: &SwapDevice) -> Result {
    match device.add_folio(GFP_KERNEL) {
        Added::New(folio) => match folio.check_zero_mark() {
            Ok(folio) => {
                drop(folio);
                Ok(())
            }
            Err(_) => Err(EAGAIN),
        },
        Added::Present => Ok(()),
        Added::Failed(error) => Err(error),
    }
}
