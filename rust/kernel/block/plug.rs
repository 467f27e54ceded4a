// SPDX-License-Identifier: GPL-2.0

//! Plugging: holds back I/O requests so that adjacent ones can be merged.
//!
//! C header: [`include/linux/blk_plug.h`](srctree/include/linux/blk_plug.h)

use crate::{
    bindings,
    types::Opaque, //
};

/// Calls `f`, and holds back the requests that the current task submits until `f` returns or the
/// task sleeps. May sleep.
///
/// Mirrors `blk_start_plug()` and `blk_finish_plug()`.
///
/// # Examples
///
/// ```
/// use kernel::block::plug::plugged;
///
/// # fn begin_read(_page: usize) -> Result {
/// #     Ok(())
/// # }
/// // Requests for adjacent blocks: the device gets them together.
/// let begun = plugged(|| (0..8).filter(|&page| begin_read(page).is_ok()).count());
/// assert_eq!(begun, 8);
/// ```
#[inline]
pub fn plugged<R>(f: impl FnOnce() -> R) -> R {
    let plug = Opaque::<bindings::blk_plug>::uninit();
    // SAFETY: The plug doesn't move until it is finished below: `f` can't unwind.
    unsafe { bindings::blk_start_plug(plug.get()) };
    let ret = f();
    // SAFETY: This task has started the plug above, and hasn't finished it.
    unsafe { bindings::blk_finish_plug(plug.get()) };
    ret
}
