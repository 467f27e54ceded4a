// SPDX-License-Identifier: GPL-2.0-or-later
// A folio: its lock, its content, its page.
//@[control] check-pass
#![deny(unsafe_code)]
use kernel::{
    alloc::flags::GFP_KERNEL,
    crypto::acompress::Compressor,
    mm::{
        folio::{CachedFolio, FolioPage, FolioRef},
        swap_add::NewFolio,
        swap_cache::SwapDevice,
        swap_cluster::Slot,
        swap_table::Pfn,
    },
};
use zswap_core::{slots::Slots, writeback::write};

// As in zswap_rs.rs.
const __LOG_PREFIX: &[u8] = b"zswap\0";

#[allow(unsafe_code)]
#[path = "../../../samples/rust/zswap_rs/core/mod.rs"]
mod zswap_core;

include!("fill.in");

// A folio that a lookup has found may have left its slot: C's callers must lock it and recheck
// (docs/races.md: 41). A reference gives no access to the slots.
#[cfg(any(control, folio_without_lock))]
pub mod folio_without_lock {
    use super::*;

    pub(crate) fn attack(found: FolioRef, mine: &mut CachedFolio<'_>) -> bool {
        #[cfg(folio_without_lock)]
        let mine = found;
        let slots = Slots::of_folio(mine); //~[folio_without_lock] E0308
        slots.are_filled()
    }
}

// 2^32 - 1 forgotten clones of a reference wrap the count to one less than before. Repeated, that frees a folio that is
// in use. A lookup is refused long before.
#[cfg(any(control, references_wrap))]
pub mod references_wrap {
    use super::*;
    use core::mem::forget;

    pub(crate) fn attack(slot: Slot<'_>, found: FolioRef) {
        #[cfg(references_wrap)]
        (0..u32::MAX).for_each(|_| forget(found.clone())); //~[references_wrap] E0599
        (0..u32::MAX).for_each(|_| forget(slot.folio()));
        drop(found);
    }
}

// A folio whose frame number was read from a swap-table entry may be freed and reused by now:
// a reference may be taken only if it still is in use and still the slot's, which
// Slot::folio() checks (docs/races.md: 36).
#[cfg(any(control, folio_of_a_frame))]
pub mod folio_of_a_frame {
    use super::*;

    pub(crate) fn attack(slot: Slot<'_>, pfn: Pfn) -> Option<FolioRef> {
        #[cfg(folio_of_a_frame)]
        return Some(pfn.folio()); //~[folio_of_a_frame] E0599
        let _ = pfn.get();
        slot.folio()
    }
}

// zswap_load() fills the first page of a large folio, and reports all of it filled: "large folios
// should not be swapped in". Only zswap_core lends contents: those of a large folio are filled page by page.
#[cfg(any(control, contents_of_large))]
pub mod contents_of_large {
    use super::*;

    pub(crate) fn attack(
        #[allow(unused_mut)] mut folio: NewFolio,
        cached: &mut CachedFolio<'_>,
        from: &Object,
    ) -> Result {
        #[cfg(contents_of_large)]
        let _ = folio.split().1.single().map(|page| fill(from, page)); //~[contents_of_large] E0133
        #[cfg(contents_of_large)]
        let _ = cached.split().1.single().map(|page| fill(from, page)); //~[contents_of_large] E0133
        let _ = cached;
        write(folio, |_, contents| fill(from, contents)).map(drop)
    }
}

// Two concurrent decompressions into one page.
#[cfg(any(control, filled_twice))]
pub mod filled_twice {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        load(folio, |_, contents| {
            let filled = fill(from, contents).ok()?;
            #[cfg(filled_twice)]
            let filled = fill(from, contents).ok()?; //~[filled_twice] E0382
            Some(filled)
        })
    }
}

// Inside a load or a writeback, a page that isn't filled yet is read: stale memory is stored, and
// reaches a process as a page of its own.
#[cfg(any(control, unfilled_page_read))]
pub mod unfilled_page_read {
    use super::*;

    pub(crate) fn attack(
        folio: *mut bindings::folio,
        from: &Object,
        compressor: &mut Compressor,
    ) -> Result {
        load(folio, |_, #[allow(unused_mut)] mut contents| {
            #[cfg(unfilled_page_read)]
            {
                let _ = compressor.compress(contents.page()); //~[unfilled_page_read] E0308
                let _ = Slots::of_folio(contents); //~[unfilled_page_read] E0308
            }
            #[cfg(control)]
            let _ = compressor;
            fill(from, contents).ok()
        })
    }

    pub(crate) fn bytes(mut contents: NotUptodate<'_>) {
        #[cfg(unfilled_page_read)]
        contents.write_page(|page| drop((*page)[0])); //~[unfilled_page_read] E0133
        contents.write_page(drop);
    }
}

// A page is declared filled that nothing was written to: stale memory reaches a process, or the device.
#[cfg(any(control, filled_by_declaration))]
pub mod filled_by_declaration {
    use super::*;

    pub(crate) fn attack(folio: *mut bindings::folio, from: &Object) -> Result {
        load(folio, |_, contents| {
            #[cfg(filled_by_declaration)]
            return Some(contents.assume_written()); //~[filled_by_declaration] E0133
            fill(from, contents).ok()
        })
    }
}

// Before a writeback, or in it, the slot is cleared, and it then fails: the page is lost.
#[cfg(any(control, unfilled_changed))]
pub mod unfilled_changed {
    use super::*;

    pub(crate) fn attack(folio: NewFolio, from: &Object) -> Result {
        let written = write(folio, |_, contents| {
            //~[unfilled_changed]^ E0382
            #[cfg(unfilled_changed)]
            drop(folio);
            fill(from, contents)
        });
        written.map(drop)
    }

    #[cfg(unfilled_changed)]
    pub(crate) fn cleared(mut folio: NewFolio) {
        Slots::of_folio(&mut folio).clear(|_| ()); //~[unfilled_changed] E0308
    }
}

// A page that processes have mapped is borrowed as bytes, which may change concurrently: a
// compressor that reads twice sees different data.
#[cfg(any(control, page_as_bytes))]
pub mod page_as_bytes {
    use super::*;

    pub(crate) fn attack(page: FolioPage<'_>, folio: &CachedFolio<'_>) -> usize {
        let _ = folio.nr_pages();
        #[cfg(page_as_bytes)]
        return page.with_mapped(|bytes| usize::from(*bytes)); //~[page_as_bytes] E0133
        page.nid();
        0
    }
}

// Writeback runs under another folio's lock: waiting for the folio that has won the slot is a
// deadlock (docs/races.md: 18). The task that comes second gets nothing to wait for, and there is
// no function that waits for a folio.
#[cfg(any(control, wait_for_a_folio))]
pub mod wait_for_a_folio {
    use super::*;

    pub(crate) fn attack(device: &SwapDevice, found: FolioRef) -> Result<Option<NewFolio>, Error> {
        #[cfg(wait_for_a_folio)]
        found.lock(); //~[wait_for_a_folio] E0599
        let _ = found;
        match device.add_folio(GFP_KERNEL) {
            Err(EEXIST) => Ok(None),
            added => added.map(Some),
        }
    }
}

// swap_cache_del_folio() on a folio whose lock was only lent: the holder still relies on the slots,
// while freeing them calls zswap_invalidate().
#[cfg(any(control, delete_lent))]
pub mod delete_lent {
    use super::*;

    pub(crate) fn attack(folio: &mut CachedFolio<'_>) -> usize {
        #[cfg(delete_lent)]
        folio.delete(); //~[delete_lent] E0133
                        //~[delete_lent]^ E0507
        folio.nr_pages()
    }
}
