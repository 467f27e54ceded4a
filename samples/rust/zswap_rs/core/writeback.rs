// SPDX-License-Identifier: GPL-2.0-or-later

//! Writing a slot's entry to the swap device.

use super::{
    entry::Entry,
    slots::Slots, //
};
use kernel::{
    bindings,
    mm::{
        folio::{
            NotUptodate,
            Uptodate, //
        },
        swap_add::NewFolio, //
    },
    prelude::*, //
};

/// The reason for which writeback freed an entry.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum WrittenBack {
    /// Its page was submitted to the device.
    Written,
    /// The zeromap bit of the slot is set, so the entry was stale.
    Stale,
}

/// Writes the entry of `folio`'s slot to the device: calls `fill` to fill the folio from the entry. May sleep.
///
/// If `fill` succeeds, removes the entry from its slot, marks the folio uptodate and submits it, in this order. The folio
/// is unlocked when the I/O has started, and is moved to the tail of the inactive list when the I/O completes. Otherwise
/// discards the folio. If the zeromap bit of the slot is set, frees the entry, and doesn't call `fill`: C sets the bit of a
/// zero-filled page without invalidating zswap, so that the entry is stale. Written to the device, or shown to a task, it
/// would bring old data back.
///
/// Fails with the error of `fill`, whose entry stays in its slot; with `ENOMEM` if the slot has no entry, as in C; and with
/// `EINVAL` for a large folio. Mirrors the end of `zswap_writeback_entry()`.
#[inline(never)] // stack: keeps its locals out of the frame from which the folio is added
pub(crate) fn write(
    mut folio: NewFolio,
    fill: impl for<'e, 'f> FnOnce(&'e Entry, NotUptodate<'f>) -> Result<Uptodate<'f>>,
) -> Result<WrittenBack> {
    // It can't change while the folio is locked. Mirrors `swap_table_test_zero()`.
    let stale = folio.has_zero_mark();
    // SAFETY: By the invariant of `NewFolio` no other task accesses the contents; `cached` lends no page below. `fill` is
    // generic over the lifetime of what it gets.
    let (mut cached, contents) = unsafe { folio.split() };
    let contents = contents.single().ok_or(EINVAL)?;
    let entry = Slots::of_folio(&mut cached).entry(0).ok_or(ENOMEM)?;
    if stale {
        drop(entry.take());
        return Ok(WrittenBack::Stale);
    }
    // The folio has the data then. Nothing below fails.
    let _filled = fill(entry.get(), contents)?;
    drop(entry.take());

    let folio = folio.into_c_locked();
    let mut ctx = pin_init::zeroed();
    // SAFETY: By the invariant of `NewFolio` the folio is alive, locked and in the swap cache. `_filled` proves that it was
    // filled. `ctx` is that of no I/O. `__swap_writepage()` takes over the lock; the reference is put after the last use.
    unsafe {
        bindings::folio_mark_uptodate(folio);
        bindings::folio_set_reclaim(folio);
        bindings::__swap_writepage(&mut ctx, folio);
        bindings::swap_write_submit(&mut ctx);
        bindings::folio_put(folio);
    }
    Ok(WrittenBack::Written)
}
