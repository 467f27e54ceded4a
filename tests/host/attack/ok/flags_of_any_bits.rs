// SPDX-License-Identifier: GPL-2.0-or-later
// Allocation flags that nobody has named: the complement of some. C's allocators warn of what they
// don't support, and return memory as large as was requested, or none.
//@ check-pass
#![forbid(unsafe_code)]
use kernel::{alloc::AllocError, prelude::*};

pub fn complement() -> Result<KBox<u64>, AllocError> {
    KBox::new(7, !GFP_NOWAIT)
}
