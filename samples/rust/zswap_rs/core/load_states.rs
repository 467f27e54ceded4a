// SPDX-License-Identifier: GPL-2.0-or-later

//! Filling a folio from its slot's entry: swapin, and writeback to the device.
//!
//! | type               | what it is                                            | leaves by                          |
//! |--------------------|-------------------------------------------------------|------------------------------------|
//! | [`UnreadFolio`]    | C's, which is being read                              | `load_exclusively()`: see [`Load`] |
//! | [`WritebackFolio`] | a new folio, whose slot has no zero mark              | `write()`                          |
//! | [`ZeroMarked`]     | the same, and it has: its entry is older              | `discard_stale()`                  |

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

/// A [`NewFolio`] whose slot is marked as that of a page of zeroes: its entry is older, and must be neither
/// written to the device nor shown to anybody.
///
/// # Invariants
///
/// The folio's slot has the mark.
#[must_use = "the stale entry stays"]
pub(crate) struct ZeroMarked(NewFolio);

impl ZeroMarked {
    /// Frees the slot's entry, and discards the folio. Returns whether there was one.
    #[inline]
    pub(crate) fn discard_stale(mut self) -> bool {
        // SAFETY: No page of the folio is asked for.
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
/// The folio's slot has no zero mark: its entry is the page that was swapped out last.
#[must_use = "the folio is deleted from the swap cache at once if unused"]
pub(crate) struct WritebackFolio(NewFolio);

/// Looks for the zero mark of a new folio's slot, before its entry may be used.
///
/// C swaps a page of zeroes out by a mark, and tells nobody: the slot's entry is older than the zeroes. Mirrors
/// `swap_table_test_zero()`.
#[inline]
pub(crate) fn check_zero_mark(folio: NewFolio) -> Result<WritebackFolio, ZeroMarked> {
    if folio.has_zero_mark() {
        // INVARIANT: Just seen; the folio's lock keeps the mark from changing.
        Err(ZeroMarked(folio))
    } else {
        // INVARIANT: It has none, and the folio's lock keeps it from getting one.
        Ok(WritebackFolio(folio))
    }
}

impl WritebackFolio {
    /// Writes the folio to the device, and frees the slot's entry. May sleep.
    ///
    /// Lets `f` fill the folio from the entry. If it does, takes the entry out of its slot, marks the folio
    /// uptodate and submits it; it is unlocked when the I/O has started, and will be at the tail of the inactive
    /// list when that is over. If `f` fails, gives the folio back, with the slot as it was; and without asking `f`,
    /// with `ENOMEM` if the slot has no entry, as C has it, and with `EINVAL` for a large folio. Mirrors the end of
    /// `zswap_writeback_entry()`.
    #[inline]
    pub(crate) fn write(
        mut self,
        f: impl for<'e, 'f> FnOnce(&'e Entry, NotUptodate<'f>) -> Result<Uptodate<'f>>,
    ) -> Result<(), (NewFolio, Error)> {
        // SAFETY: The content is nobody else's, by the invariant of `NewFolio`; no page of the folio
        // is asked for below.
        let (mut cached, contents) = unsafe { self.0.split() };
        let Some(contents) = contents else {
            return Err((self.0, EINVAL));
        };
        let Some(entry) = Slots::new(&mut cached).entry(0) else {
            return Err((self.0, ENOMEM));
        };
        match f(entry.get(), contents) {
            // The folio has the data: from here on nothing fails.
            Ok(_filled) => drop(entry.take()),
            Err(error) => {
                drop(entry);
                return Err((self.0, error));
            }
        }

        let folio = self.0.into_c_locked();
        let mut ctx = NO_IO;
        // SAFETY: By the invariant of `NewFolio` the folio is alive, locked and in the swap cache; it
        // was filled, as `Uptodate` says. The lock goes to `__swap_writepage()`; the reference is put
        // after the last use.
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

/// No I/O yet.
const NO_IO: bindings::swap_io_ctx = bindings::swap_io_ctx {
    sio: core::ptr::null_mut(),
    sis: core::ptr::null_mut(),
};

/// A folio in the swap cache whose lock is ours to release, and which is to be filled: not
/// uptodate, so that nobody but us looks at its content.
///
/// Dropping it unlocks; finding the folio not uptodate, readers take this for an I/O error.
///
/// # Invariants
///
/// `.0` is the only witness of a lock which is ours to release. The folio is not uptodate, and
/// nobody else accesses its content.
#[must_use = "the folio is unlocked at once if unused"]
pub(crate) struct UnreadFolio<'a>(CachedFolio<'a>);

impl<'a> UnreadFolio<'a> {
    /// Takes over the lock that a C caller holds, to have the folio loaded from its slot's entry.
    ///
    /// # Safety
    ///
    /// The caller must hold the folio's lock and hand it over; if the folio is [not stored](Load::NotStored), it is
    /// the caller's again. The folio must be in the swap cache and not uptodate, and be alive for the time of `call` (by
    /// the reference that the caller or, while the folio is locked, the swap cache holds). No other task may access its
    /// content or the data of its slots.
    #[inline]
    pub(crate) unsafe fn from_raw(ptr: *mut bindings::folio, call: &'a mut Call) -> Self {
        // SAFETY: The caller hands over the folio's lock, with which it stays in the swap cache, and the folio is alive
        // for the time of the call. It isn't filled: `UnreadFolio` gives nobody `&mut CachedFolio`, and so no page.
        // INVARIANT: The lock is ours, the folio is not uptodate, and no other task accesses its content, as required.
        Self(unsafe { CachedFolio::from_raw(ptr, call) })
    }

    /// Loads the folio: lets `f` fill it from its slot's entry. If there is none, the folio is as it was, and
    /// `f` isn't asked.
    ///
    /// If `f` fills it, marks the folio uptodate *and dirty*, takes the entry out of its slot, since the
    /// folio has the only copy now, and unlocks it. If `f` fails, unlocks it, with the slot as it was.
    ///
    /// What can be filled is a folio of one page. A large one is unlocked, and fails with `EINVAL` and
    /// a warning, whatever its slots have: some of its pages may be on the device and others in zswap, and nobody
    /// can load that. Mirrors `zswap_load()`.
    #[inline]
    pub(crate) fn load_exclusively(
        mut self,
        f: impl for<'e, 'f> FnOnce(&'e Entry, NotUptodate<'f>) -> Result<Uptodate<'f>>,
    ) -> Load<'a> {
        let folio = self.0.as_raw();
        // SAFETY: The content is nobody else's, by the type invariant; no page of the folio is asked
        // for below.
        let (mut cached, contents) = unsafe { self.0.split() };
        let Some(contents) = contents else {
            warn_on_once!(true);
            self.unlock();
            return Load::Failed(EINVAL, Abandoned(PhantomData));
        };
        let Some(entry) = Slots::new(&mut cached).entry(0) else {
            return Load::NotStored(NotStored(self));
        };
        match f(entry.get(), contents) {
            Ok(_filled) => {
                // SAFETY: The folio is alive and locked. It was filled: `Uptodate` is made from
                // `NotUptodate`, and by its lifetime from that above.
                unsafe {
                    bindings::folio_mark_uptodate(folio);
                    bindings::folio_mark_dirty(folio);
                }
                drop(entry.take());
                self.unlock();
                Load::Loaded(Completed(PhantomData))
            }
            Err(error) => {
                drop(entry);
                self.unlock();
                Load::Failed(error, Abandoned(PhantomData))
            }
        }
    }

    /// Unlocks the folio. Mirrors `folio_unlock()`.
    #[inline]
    fn unlock(self) {
        drop(self);
    }
}

/// What came of loading a folio from its slot's entry. Only
/// [`UnreadFolio::load_exclusively`] can say.
#[must_use = "a folio that isn't stored is unlocked at once if unused"]
pub(crate) enum Load<'a> {
    /// It has its data, and nothing else has. It is unlocked.
    Loaded(Completed<'a>),
    /// There is no entry for it. It is still locked.
    NotStored(NotStored<'a>),
    /// There may be data for it, which can't be had. It is unlocked and not uptodate, so that those
    /// who wait for it get an I/O error.
    Failed(Error, Abandoned<'a>),
}

/// Proof that the [`UnreadFolio`] which had the lifetime `'a` has its data and is unlocked: a caller that
/// only forgot it can't say so.
pub(crate) struct Completed<'a>(PhantomData<CachedFolio<'a>>);

/// The [`UnreadFolio`] that has the lifetime `'a`, still locked, and proof that its slot had no entry when that was
/// looked up: a caller that hasn't looked can't say so, and the device would be read, which
/// may have an older page.
///
/// Dropping it unlocks.
pub(crate) struct NotStored<'a>(#[expect(dead_code)] UnreadFolio<'a>);

impl NotStored<'_> {
    /// Gives the lock back to the C caller.
    #[inline]
    pub(crate) fn into_c_locked(self) {
        core::mem::forget(self);
    }
}

/// Proof that the [`UnreadFolio`] which had the lifetime `'a` was unlocked without its data.
pub(crate) struct Abandoned<'a>(PhantomData<CachedFolio<'a>>);

impl<'a> Deref for UnreadFolio<'a> {
    type Target = CachedFolio<'a>;

    #[inline]
    fn deref(&self) -> &CachedFolio<'a> {
        &self.0
    }
}

impl Drop for UnreadFolio<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: By the type invariant the lock is ours to release.
        unsafe { bindings::folio_unlock(self.0.as_raw()) }
    }
}
