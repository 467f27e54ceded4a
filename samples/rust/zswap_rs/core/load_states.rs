// SPDX-License-Identifier: GPL-2.0-or-later

//! Filling a folio from its slot's entry: swap-in, and writeback to the device.
//!
//! | type               | folio                                            | consumed by                        |
//! |--------------------|--------------------------------------------------|------------------------------------|
//! | [`UnreadFolio`]    | C's folio that is being read                     | `load_exclusively()`: see [`Load`] |
//! | [`WritebackFolio`] | new; the zeromap bit of its slot is clear        | `write()`                          |
//! | [`ZeroMarked`]     | new; the zeromap bit of its slot is set          | `discard_stale()`                  |

use super::{
    entry::Entry,
    slots::{
        SlotEntry,
        Slots, //
    },
};
use core::{
    marker::PhantomData,
    ops::Deref, //
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
        swap_add::NewFolio, //
    },
    prelude::*,
    warn_on_once, //
};

/// A [`NewFolio`] whose slot has its zeromap bit set: the slot's entry is stale, and must be neither written to the
/// device nor shown to a task.
///
/// # Invariants
///
/// The zeromap bit of the folio's slot is set.
#[must_use = "the stale entry stays"]
pub(crate) struct ZeroMarked(NewFolio);

impl ZeroMarked {
    /// Frees the slot's entry, and discards the folio. Returns whether the slot had an entry.
    pub(crate) fn discard_stale(mut self) -> bool {
        // SAFETY: `cached` lends no page below, and only functions that are generic over its lifetime get it.
        let (mut cached, _) = unsafe { self.0.split() };
        let stale = Slots::new(&mut cached).entry(0).map(SlotEntry::take);
        let found = stale.is_some();
        drop(stale);
        self.0.discard();
        found
    }
}

/// A [`NewFolio`] that is to be filled from its slot's entry, and written to the device.
///
/// # Invariants
///
/// The zeromap bit of the folio's slot is clear: the slot's entry, if any, is not stale.
#[must_use = "the folio is deleted from the swap cache at once if unused"]
pub(crate) struct WritebackFolio(NewFolio);

/// Checks the zeromap bit of a new folio's slot, before the slot's entry may be used.
///
/// C sets the zeromap bit of a zero-filled page without invalidating zswap: an entry of such a slot is stale. Mirrors
/// `swap_table_test_zero()`.
pub(crate) fn check_zero_mark(folio: NewFolio) -> Result<WritebackFolio, ZeroMarked> {
    if folio.has_zero_mark() {
        // INVARIANT: The bit is set, and stays set while the folio is locked.
        Err(ZeroMarked(folio))
    } else {
        // INVARIANT: The bit is clear, and stays clear while the folio is locked.
        Ok(WritebackFolio(folio))
    }
}

impl WritebackFolio {
    /// Writes the folio to the device, and frees the slot's entry. May sleep.
    ///
    /// Calls `f` to fill the folio from the entry. If `f` succeeds, removes the entry from its slot, marks the folio
    /// uptodate and submits it. The folio is unlocked when the I/O has started, and is moved to the tail of the
    /// inactive list when the I/O completes. If `f` fails, returns the folio, and leaves the entry in its slot. Doesn't
    /// call `f`, and fails, with `ENOMEM` if the slot has no entry (as in C), and with `EINVAL` for a large folio.
    /// Mirrors the end of `zswap_writeback_entry()`.
    pub(crate) fn write(
        mut self,
        f: impl for<'e, 'f> FnOnce(&'e Entry, NotUptodate<'f>) -> Result<Uptodate<'f>>,
    ) -> Result<(), (NewFolio, Error)> {
        // SAFETY: By the invariant of `NewFolio` no other task accesses the contents; `cached` lends no page
        // below. `f` is generic over the lifetime of what it gets.
        let (mut cached, contents) = unsafe { self.0.split() };
        let Some(contents) = contents.single() else {
            return Err((self.0, EINVAL));
        };
        let Some(entry) = Slots::new(&mut cached).entry(0) else {
            return Err((self.0, ENOMEM));
        };
        match f(entry.get(), contents) {
            // The folio has the data. Nothing below fails.
            Ok(_filled) => drop(entry.take()),
            Err(error) => {
                drop(entry);
                return Err((self.0, error));
            }
        }

        let folio = self.0.into_c_locked();
        let mut ctx = NO_IO;
        // SAFETY: By the invariant of `NewFolio` the folio is alive, locked and in the swap cache. The `Uptodate` that
        // `f` returned proves that it was filled. `__swap_writepage()` takes over the lock; the reference is put after
        // the last use.
        unsafe {
            bindings::folio_mark_uptodate(folio);
            bindings::folio_set_reclaim(folio);
            bindings::__swap_writepage(&mut ctx, folio);
            bindings::swap_write_submit(&mut ctx);
            bindings::folio_put(folio);
        }
        Ok(())
    }
}

/// A `swap_io_ctx` without I/O.
const NO_IO: bindings::swap_io_ctx = bindings::swap_io_ctx {
    sio: core::ptr::null_mut(),
    sis: core::ptr::null_mut(),
};

/// A locked folio in the swap cache that is to be filled, together with its lock. It is not uptodate, so no other task
/// accesses its contents.
///
/// Dropping it unlocks the folio. Tasks that wait for the folio then find it not uptodate, which is an I/O error.
///
/// # Invariants
///
/// This value owns the folio's lock, and `.0` is the only witness for it. The folio is not uptodate, and no other task
/// accesses its contents.
#[must_use = "the folio is unlocked at once if unused"]
pub(crate) struct UnreadFolio<'a>(CachedFolio<'a>);

impl<'a> UnreadFolio<'a> {
    /// Takes over the folio's lock from a C caller.
    ///
    /// # Safety
    ///
    /// The caller must hold the folio's lock, and hand it over; it gets the lock back if the folio is
    /// [not stored](Load::NotStored). The folio must be in the swap cache, not uptodate, and alive during `call`, by a
    /// reference of the caller, or of the swap cache while the folio is locked. No other task may access its contents
    /// or the entries of its slots.
    pub(crate) unsafe fn from_raw(ptr: *mut bindings::folio, call: &'a mut Call) -> Self {
        // SAFETY: The caller guarantees that it hands over the folio's lock, which pins the folio in the swap cache,
        // and that the folio is alive during the call. The folio isn't filled, but `UnreadFolio` lends no
        // `&mut CachedFolio`, and so no page.
        // INVARIANT: The caller guarantees that it hands over the lock, that the folio is not uptodate, and that no
        // other task accesses its contents.
        Self(unsafe { CachedFolio::from_raw(ptr, call) })
    }

    /// Loads the folio: calls `f` to fill it from its slot's entry. If the slot has no entry, doesn't call `f`, and
    /// leaves the folio locked.
    ///
    /// If `f` fills the folio, marks the folio uptodate *and dirty*, since it now has the only copy, removes the entry
    /// from its slot, and unlocks the folio. If `f` returns `None`, leaves the entry in its slot, unlocks the folio, and
    /// fails with `EIO`. `f` can't choose an error: after `ENOENT`, C would read the device's older data into the folio.
    ///
    /// With `CONFIG_ZSWAP_LARGE_SWAPIN` a large folio comes here only if none of its slots has an entry: `whole_folio`
    /// fills the others. If one has, this warns, unlocks the folio, and fails with `EINVAL`; without that option it does
    /// so for any large folio. Mirrors `zswap_load()`, which has no such option.
    pub(crate) fn load_exclusively(
        mut self,
        f: impl for<'e, 'f> FnOnce(&'e Entry, NotUptodate<'f>) -> Option<Uptodate<'f>>,
    ) -> Load<'a> {
        let folio = self.0.as_raw();
        // SAFETY: By the type invariant no other task accesses the contents; `cached` lends no page
        // below. `f` is generic over the lifetime of what it gets.
        let (mut cached, contents) = unsafe { self.0.split() };
        let Some(contents) = contents.single() else {
            if cfg!(CONFIG_ZSWAP_LARGE_SWAPIN) && Slots::new(&mut cached).filled().is_none() {
                return Load::NotStored(NotStored(self));
            }
            warn_on_once!(true);
            self.unlock();
            // INVARIANT: Not `ENOENT`.
            return Load::Failed(Abandoned(EINVAL, PhantomData));
        };
        let Some(entry) = Slots::new(&mut cached).entry(0) else {
            return Load::NotStored(NotStored(self));
        };
        match f(entry.get(), contents) {
            Some(_filled) => {
                // SAFETY: By the type invariant the folio is alive and locked. It was filled: an `Uptodate` is created
                // from a `NotUptodate`, and its lifetime shows that it was created from `contents`.
                unsafe {
                    bindings::folio_mark_uptodate(folio);
                    bindings::folio_mark_dirty(folio);
                }
                drop(entry.take());
                self.unlock();
                Load::Loaded(Completed(PhantomData))
            }
            None => {
                drop(entry);
                self.unlock();
                // INVARIANT: Not `ENOENT`.
                Load::Failed(Abandoned(EIO, PhantomData))
            }
        }
    }

    /// Unlocks the folio. Mirrors `folio_unlock()`.
    fn unlock(self) {
        drop(self);
    }
}

/// The outcome of loading a folio from its slot's entry. Only [`UnreadFolio::load_exclusively`] creates one.
#[must_use = "a folio that isn't stored is unlocked at once if unused"]
pub(crate) enum Load<'a> {
    /// The folio has the only copy of the data, and is unlocked.
    Loaded(Completed<'a>),
    /// The slot has no entry. The folio is still locked.
    NotStored(NotStored<'a>),
    /// The entry could not be decompressed, or the folio is large. The folio is unlocked and not uptodate, so that
    /// tasks that wait for it get an I/O error.
    Failed(Abandoned<'a>),
}

/// Proof that the [`UnreadFolio`] with the lifetime `'a` has its data and is unlocked. A caller can't create it by
/// forgetting the folio.
pub(crate) struct Completed<'a>(PhantomData<CachedFolio<'a>>);

/// The [`UnreadFolio`] with the lifetime `'a`, still locked, and proof that a lookup found no entry in its slot.
/// Without the lookup the folio must not be read from the device, whose data may be older than an entry.
///
/// Dropping it unlocks the folio.
pub(crate) struct NotStored<'a>(#[expect(dead_code)] UnreadFolio<'a>);

impl NotStored<'_> {
    /// Returns the lock to the C caller.
    pub(crate) fn into_c_locked(self) {
        core::mem::forget(self);
    }
}

/// The error of a failed load, and proof that the [`UnreadFolio`] with the lifetime `'a` was unlocked without its data.
///
/// # Invariants
///
/// `.0` is not `ENOENT`, by which C would take the folio as [not stored](Load::NotStored), and still locked.
pub(crate) struct Abandoned<'a>(Error, PhantomData<CachedFolio<'a>>);

impl Abandoned<'_> {
    /// The error, for C.
    pub(crate) fn to_errno(&self) -> c_int {
        self.0.to_errno()
    }
}

impl<'a> Deref for UnreadFolio<'a> {
    type Target = CachedFolio<'a>;

    fn deref(&self) -> &CachedFolio<'a> {
        &self.0
    }
}

impl Drop for UnreadFolio<'_> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant this value owns the folio's lock.
        unsafe { bindings::folio_unlock(self.0.as_raw()) }
    }
}
