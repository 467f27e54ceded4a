// SPDX-License-Identifier: GPL-2.0-or-later

//! Filling a large folio from the entries of all its slots.
//!
//! | type            | proves                                                       | used for                              |
//! |-----------------|--------------------------------------------------------------|---------------------------------------|
//! | [`VacantSlots`] | the cluster is locked, the slots are in use, without a folio | counting the slots that have an entry |
//! | [`WholeFolio`]  | the folio was just added for such slots                      | filling it: see [`FilledFolio`]       |
//! | [`MappedFolio`] | the folio is filled, and not mapped yet                      | freeing the entries                   |
//!
//! Between the first two, no task can change which slots have an entry or a zero mark: the cluster's lock prevents it
//! until the folio is in the swap cache, and then the folio's lock does. Until the first mapping the folio is clean, and
//! the entries stay: C may delete it from the swap cache, as it does when the folio no longer fits the page table.

use super::{
    entry::Entry,
    index::{
        self,
        LeafRef,
        Tree, //
    },
    slots::Slots,
    trees, //
};
use core::{
    cell::Cell,
    marker::PhantomData,
    ops::Deref, //
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
        swapops::SwapEntry, //
    },
    prelude::*,
    types::NotThreadSafe,
    warn_on_once, //
};

/// Witness that slots are in use and have no folio, with their cluster locked: no task can store, load or free their
/// entries, or mark them zero.
///
/// To store, load or write back requires the lock of a folio that is in the swap cache for the slot, and such a folio
/// enters the swap cache and leaves it under the cluster's lock. To free a slot requires that lock as well, which also
/// makes the plain accesses of the last owner of the slot visible.
///
/// # Invariants
///
/// No other witness for the slots exists, or can be created, during `'a`, except another `VacantSlots`, and a `Visit`,
/// which can't remove an entry from its slot: the cluster is locked by this task. The slots are `nr` slots starting at
/// `first`, all in one cluster. Their device is not swapped off during `'a`.
pub(crate) struct VacantSlots<'a> {
    first: SwapEntry,
    nr: usize,
    _tree: PhantomData<&'a Tree>,
    // Bound to the task that holds the spin lock.
    _not_send: NotThreadSafe,
}

impl<'a> VacantSlots<'a> {
    /// The witness for `nr` slots starting at `first`.
    ///
    /// # Safety
    ///
    /// During `call`, the caller must hold the lock of the cluster that has the slots. They must be in use, and have no
    /// folio. The device must not be swapped off.
    pub(crate) unsafe fn from_raw(
        first: bindings::swp_entry_t,
        nr: usize,
        _call: &'a Call,
    ) -> Self {
        // INVARIANT: The caller guarantees that it holds the cluster's lock, and that the slots have no folio.
        Self {
            // SAFETY: The caller guarantees that the device of `first` is not swapped off.
            first: unsafe { SwapEntry::from_raw(first) },
            nr,
            _tree: PhantomData,
            _not_send: NotThreadSafe,
        }
    }

    /// The number of slots that have an entry, not counting those whose bit in `zeroes` is set (bit 0 for the first
    /// slot): an entry of a zero-marked slot is stale.
    pub(crate) fn filled(&self, zeroes: usize) -> usize {
        // SAFETY: By the type invariant the device is not swapped off.
        let Some(tree) = (unsafe { trees::tree(self.first) }) else {
            return 0;
        };
        let first = self.first.offset();
        let mut offsets = first..first.wrapping_add(self.nr);
        let mut zeroes = zeroes as u64;
        let mut filled = 0usize;
        while !offsets.is_empty() {
            let run = index::in_one_leaf(&offsets);
            let entries = LeafRef::filled(tree, run.clone()) & !zeroes;
            filled = filled.wrapping_add(entries.count_ones() as usize);
            zeroes = zeroes.checked_shr(run.len() as u32).unwrap_or(0);
            offsets.start = run.end;
        }
        filled
    }
}

/// Whether a slot seems to have an entry. The result may be stale at once: no witness for the slot is needed.
///
/// # Safety
///
/// The device of `entry` must not be swapped off during the call.
pub(crate) unsafe fn seems_filled(entry: bindings::swp_entry_t) -> bool {
    // SAFETY: The caller guarantees that the device is not swapped off.
    let entry = unsafe { SwapEntry::from_raw(entry) };
    let offset = entry.offset();
    // SAFETY: The caller guarantees that the device is not swapped off during the call.
    (unsafe { trees::tree(entry) })
        .is_some_and(|tree| LeafRef::filled(tree, offset..offset.wrapping_add(1)) != 0)
}

/// A large folio that is to be filled as a whole, from entries that stay in their slots. Its lock is held by the C
/// caller.
///
/// # Invariants
///
/// `.0` is the only witness for the folio's lock. The folio is not uptodate, and no other task accesses its contents.
pub(crate) struct WholeFolio<'a>(CachedFolio<'a>);

impl<'a> WholeFolio<'a> {
    /// The folio of a C caller.
    ///
    /// # Safety
    ///
    /// As for [`CachedFolio::from_raw`]. During `call`, the folio must not be uptodate, and no other task may access
    /// its contents.
    pub(crate) unsafe fn from_raw(ptr: *mut bindings::folio, call: &'a mut Call) -> Self {
        // SAFETY: The caller guarantees what `CachedFolio` requires. The folio isn't filled, but `WholeFolio` lends no
        // `&mut CachedFolio`, and so no page.
        // INVARIANT: The caller guarantees that the folio is not uptodate, and that no other task accesses it.
        Self(unsafe { CachedFolio::from_raw(ptr, call) })
    }

    /// Fills the folio: calls `f` to fill the pages from the entries of their slots. The pages of zero-marked slots are
    /// cleared on the way. Then marks the folio uptodate. It stays clean: the entries stay in their slots, until the
    /// folio is mapped, so that C can still delete it from the swap cache.
    ///
    /// Fails with the error of `f`, or with `EIO` if `f` left out a page.
    pub(crate) fn fill(
        mut self,
        f: impl for<'e, 's, 'f> FnOnce(EntryPages<'e, 's, 'f>, &'e FilledPages<'f>) -> Result,
    ) -> Result<FilledFolio<'a>> {
        let folio = self.0.as_raw();
        let zeroes = Cell::new(0usize);
        // SAFETY: By the type invariant no other task accesses the contents; `cached` lends no page below. `f` is
        // generic over the lifetime of what it gets.
        let (mut cached, contents) = unsafe { self.0.split() };
        let slots = Slots::new(&mut cached);
        let _filled = contents.fill(|pages, filled| {
            let pages = EntryPages {
                slots: &slots,
                pages,
                filled,
                zeroes: &zeroes,
            };
            f(pages, filled)
        })?;
        let zeroes = zeroes.get();
        // SAFETY: By the type invariant the folio is alive and locked. All its pages were written, as `_filled` proves:
        // it is made from `contents`.
        unsafe { bindings::folio_mark_uptodate(folio) };
        // INVARIANT: The folio was filled, and `zeroes` of its pages were cleared.
        Ok(FilledFolio {
            folio: self.0,
            zeroes,
        })
    }
}

/// The pages of a [`WholeFolio`] that have an entry, in order, each with its entry. Clears the pages of zero-marked
/// slots between them.
///
/// Ends early, with a warning, if a slot has neither an entry nor the mark: no task can change that since the folio was
/// added. The folio is then not filled.
pub(crate) struct EntryPages<'e, 's, 'f> {
    slots: &'e Slots<'e, 's>,
    pages: PagesToFill<'f>,
    filled: &'e FilledPages<'f>,
    zeroes: &'e Cell<usize>,
}

impl<'e, 'f> Iterator for EntryPages<'e, '_, 'f> {
    type Item = (&'e Entry, NotUptodate<'f>);

    fn next(&mut self) -> Option<Self::Item> {
        for (index, page) in self.pages.by_ref() {
            // The mark first: an entry of such a slot is stale.
            if self.slots.folio().has_zero_mark(index) {
                // SAFETY: The zeromap bit of the slot is set, and stays so while the folio is locked: the slot's data is
                // all zeroes.
                self.filled.add(unsafe { page.clear() });
                self.zeroes.set(self.zeroes.get().wrapping_add(1));
                continue;
            }
            let entry = self.slots.get(index);
            warn_on_once!(entry.is_none());
            return entry.map(|entry| (entry, page));
        }
        None
    }
}

/// A [`WholeFolio`] that was filled.
///
/// # Invariants
///
/// The folio is uptodate. `zeroes` of its slots are zero-marked, and the others have an entry.
pub(crate) struct FilledFolio<'a> {
    folio: CachedFolio<'a>,
    zeroes: usize,
}

impl FilledFolio<'_> {
    /// The number of zero-filled pages.
    pub(crate) fn zeroes(&self) -> usize {
        self.zeroes
    }
}

impl<'a> Deref for FilledFolio<'a> {
    type Target = CachedFolio<'a>;

    fn deref(&self) -> &CachedFolio<'a> {
        &self.folio
    }
}

/// A filled large folio before its first mapping. Its lock is held by the C caller.
///
/// # Invariants
///
/// `.0` is the only witness for the folio's lock. The folio is uptodate.
pub(crate) struct MappedFolio<'a>(CachedFolio<'a>);

impl<'a> MappedFolio<'a> {
    /// The folio of a C caller.
    ///
    /// # Safety
    ///
    /// As for [`CachedFolio::from_raw`]. The folio must be uptodate.
    pub(crate) unsafe fn from_raw(ptr: *mut bindings::folio, call: &'a mut Call) -> Self {
        // INVARIANT: The caller guarantees that the folio is uptodate.
        // SAFETY: The caller guarantees what `CachedFolio` requires.
        Self(unsafe { CachedFolio::from_raw(ptr, call) })
    }

    /// Whether a slot has an entry.
    pub(crate) fn has_entries(&mut self) -> bool {
        Slots::new(&mut self.0).filled().is_some()
    }

    /// Makes the folio the only copy of its data: marks it dirty, then frees the entries of its slots. Doesn't sleep.
    /// Returns whether there were any. If not, the data is on the device, and the folio stays as it is.
    pub(crate) fn take_over(mut self) -> bool {
        let folio = self.0.as_raw();
        let Some(entries) = Slots::new(&mut self.0).filled() else {
            return false;
        };
        // SAFETY: By the type invariant the folio is alive, locked and uptodate.
        unsafe { bindings::folio_mark_dirty(folio) };
        entries.free_each(|_| ());
        true
    }
}
