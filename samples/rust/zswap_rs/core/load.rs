// SPDX-License-Identifier: GPL-2.0-or-later

//! Loading a folio from its slot's entry.

use super::{
    entry::Entry,
    slots::Slots, //
};
use kernel::{
    bindings,
    mm::{
        call::Call,
        folio::{
            CachedFolio,
            NotUptodate,
            Uptodate, //
        },
    },
    prelude::*,
    warn_on_once, //
};

/// Loads a folio: calls `fill` to fill it from its slot's entry.
///
/// If `fill` fills the folio, marks the folio uptodate *and dirty*, since it now has the only copy, removes the entry from
/// its slot, and unlocks the folio. As in C, the entry is not retained: the memory pressure of two copies outweighs the
/// compression that would be saved.
///
/// Fails with `ENOENT`, with the folio still locked, if the slot has no entry; with the folio unlocked and not uptodate,
/// which other tasks take as an I/O error, if `fill` returns `None` (`EIO`): the entry stays in its slot, since the device
/// has older data. `fill` can't choose an error: after `ENOENT`, C would read that data into the folio.
///
/// With `CONFIG_ZSWAP_LARGE_SWAPIN` a large folio comes here only if none of its slots has an entry: [`fill`] of
/// [`whole`](super::whole) fills the others. If one has, this warns, and fails with `EINVAL`; without that option it does
/// so for any large folio. May sleep. Mirrors `zswap_load()`, which has no such option.
///
/// # Safety
///
/// The caller must hold the lock of `folio`, and hand it over, unless this fails with `ENOENT`. The folio must be in the
/// swap cache, not uptodate, and alive during the call, by a reference of the caller, or of the swap cache while the
/// folio is locked. No other task may access its contents or the entries of its slots.
///
/// [`fill`]: super::whole::fill
pub(crate) unsafe fn load(
    folio: *mut bindings::folio,
    fill: impl for<'e, 'f> FnOnce(&'e Entry, NotUptodate<'f>) -> Option<Uptodate<'f>>,
) -> Result {
    let mut call = Call::new();
    // SAFETY: The caller guarantees that it hands over the folio's lock, which pins the folio in the swap cache, and that
    // the folio is alive during the call. The folio isn't filled, but no page of the witness is accessed.
    let mut cached = unsafe { CachedFolio::from_raw(folio, &mut call) };
    // SAFETY: The caller guarantees that no other task accesses the contents; `cached` lends no page below. `fill` is
    // generic over the lifetime of what it gets.
    let (mut cached, contents) = unsafe { cached.split() };
    let loaded = match contents.single() {
        Some(contents) => {
            let entry = Slots::of_folio(&mut cached).entry(0).ok_or(ENOENT)?;
            fill(entry.get(), contents).ok_or(EIO).map(|_filled| {
                // SAFETY: The caller guarantees that the folio is alive and locked. It was filled: an `Uptodate` is
                // created from a `NotUptodate`, and its lifetime shows that it was created from `contents`.
                unsafe {
                    bindings::folio_mark_uptodate(folio);
                    bindings::folio_mark_dirty(folio);
                }
                drop(entry.take());
            })
        }
        None if cfg!(CONFIG_ZSWAP_LARGE_SWAPIN) && !Slots::of_folio(&mut cached).are_filled() => {
            return Err(ENOENT)
        }
        None => {
            warn_on_once!(true);
            Err(EINVAL)
        }
    };
    // SAFETY: The caller has handed over the lock.
    unsafe { bindings::folio_unlock(folio) };
    loaded
}
