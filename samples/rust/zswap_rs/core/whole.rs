// SPDX-License-Identifier: GPL-2.0-or-later

//! Filling a large folio from the entries of all its slots.
//!
//! The swap cache adds the folio once [`count_filled`](super::slots::count_filled) has counted the entry of each slot that
//! isn't zero-marked. Since then no task can change which slots have an entry or a zero mark: the cluster's lock prevents
//! it until the folio is in the swap cache, and then the folio's lock does. Until the first mapping the folio is clean, and
//! the entries stay: C may delete it from the swap cache, as it does when the folio no longer fits the page table.

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
            FilledPages,
            NotUptodate,
            PagesToFill, //
        },
    },
    prelude::*,
    warn_on_once, //
};

/// Fills a large folio: calls `f` to fill the pages from the entries of their slots. The pages of zero-marked slots are
/// cleared on the way. Then marks the folio uptodate. It stays clean, and the entries stay in their slots, until
/// [`take_over`]. May sleep.
///
/// Fails with the error of `f`, or with `EIO` if `f` left out a page.
///
/// # Safety
///
/// As for [`CachedFolio::from_raw`]. During the call, the folio must not be uptodate, and no other task may access its
/// contents.
pub(crate) unsafe fn fill(
    folio: *mut bindings::folio,
    f: impl for<'e, 's, 'f> FnOnce(EntryPages<'e, 's, 'f>, &'e FilledPages<'f>) -> Result,
) -> Result {
    let mut call = Call::new();
    // SAFETY: The caller guarantees what `CachedFolio` requires. The folio isn't filled, but no page of the witness is
    // accessed.
    let mut cached = unsafe { CachedFolio::from_raw(folio, &mut call) };
    // SAFETY: The caller guarantees that no other task accesses the contents; `cached` lends no page below. `f` is generic
    // over the lifetime of what it gets.
    let (cached, contents) = unsafe { cached.split() };
    // SAFETY: These are the only `Slots` of the folio.
    let slots = unsafe { Slots::of(&cached) };
    let _filled = contents.fill(|pages, filled| {
        let pages = EntryPages {
            folio: &cached,
            slots: &slots,
            pages,
            filled,
        };
        f(pages, filled)
    })?;
    // SAFETY: The caller guarantees that the folio is alive and locked. All its pages were written, as `_filled` proves: it
    // is made from `contents`.
    unsafe { bindings::folio_mark_uptodate(folio) };
    Ok(())
}

/// The pages of a folio that have an entry, in order, each with its entry. Clears the pages of zero-marked slots between
/// them.
///
/// Ends early, with a warning, if a slot has neither an entry nor the mark: no task can change that since the folio was
/// added. The folio is then not filled.
pub(crate) struct EntryPages<'e, 's, 'f> {
    folio: &'e CachedFolio<'s>,
    slots: &'e Slots<'e>,
    pages: PagesToFill<'f>,
    filled: &'e FilledPages<'f>,
}

impl<'s> EntryPages<'_, 's, '_> {
    /// The folio.
    pub(crate) fn folio(&self) -> &CachedFolio<'s> {
        self.folio
    }
}

impl<'e, 'f> Iterator for EntryPages<'e, '_, 'f> {
    type Item = (&'e Entry, NotUptodate<'f>);

    fn next(&mut self) -> Option<Self::Item> {
        for (index, page) in self.pages.by_ref() {
            // The mark first: an entry of such a slot is stale.
            if self.folio.has_zero_mark(index) {
                // SAFETY: The zeromap bit of the slot is set, and stays so while the folio is locked: the slot's data is
                // all zeroes.
                self.filled.add(unsafe { page.clear() });
                continue;
            }
            let entry = self.slots.get(index);
            warn_on_once!(entry.is_none());
            return entry.map(|entry| (entry, page));
        }
        None
    }
}

/// Makes a large folio, at its first mapping, the only copy of its data: marks it dirty, then frees the entries of its
/// slots. It is not deleted from the swap cache any more. Doesn't sleep. Returns whether there were any. If not, the data
/// is on the device, and the folio stays as it is.
///
/// # Safety
///
/// As for [`CachedFolio::from_raw`]. The folio must be uptodate.
pub(crate) unsafe fn take_over(folio: *mut bindings::folio) -> bool {
    let mut call = Call::new();
    // SAFETY: The caller guarantees what `CachedFolio` requires.
    let mut cached = unsafe { CachedFolio::from_raw(folio, &mut call) };
    let slots = Slots::of_folio(&mut cached);
    if !slots.are_filled() {
        return false;
    }
    // SAFETY: The caller guarantees that the folio is alive, locked and uptodate.
    unsafe { bindings::folio_mark_dirty(folio) };
    slots.clear(|_| ());
    true
}
