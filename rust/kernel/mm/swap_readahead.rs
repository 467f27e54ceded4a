// SPDX-License-Identifier: GPL-2.0

//! Swap readahead: what C keeps of it.
//!
//! The sysctl, the switch in sysfs, and the walk over a page table stay in mm/swap_state.c.
//!
//! C header: `mm/swap.h`

use crate::{
    alloc::Flags,
    bindings,
    ffi::c_int,
    mm::{
        folio::Folio,
        swap_cache::{
            page_table_span,
            Fault,
            Slot, //
        },
    },
    sync::{
        aref::ARef,
        atomic::{
            ordering::Relaxed,
            Atomic, //
        },
    },
};
use core::{
    ops::Range,
    ptr::NonNull, //
};

/// The largest window, in pages: 2 to the power of `vm.page-cluster`, which is from 0 to 31.
#[inline]
pub fn max_window() -> u32 {
    let order: *mut c_int = &raw mut bindings::page_cluster;
    // SAFETY: C has defined it, for ever, and changes it as a whole.
    let order = unsafe { &*order.cast::<Atomic<i32>>() }.load(Relaxed);
    1u32.checked_shl(order as u32).unwrap_or(1)
}

/// Whether neighbours in memory may be read ahead: `/sys/kernel/mm/swap/vma_ra_enabled`.
#[inline]
pub fn vma_readahead_is_on() -> bool {
    let on: *mut bool = &raw mut bindings::enable_vma_readahead;
    // SAFETY: C has defined it, for ever, and changes it as a whole.
    unsafe { &*on.cast::<Atomic<bool>>() }.load(Relaxed)
}

/// Reads ahead the pages that the page table of the fault has in `range`, in bytes, which may be empty;
/// then reads the page of `slot`, which is that of the fault. By the policy of the fault's address. May
/// sleep.
///
/// Returns that page's folio; none if there is no memory, or the slot isn't in use. Mirrors
/// `swap_vma_readahead()`.
///
/// Makes nothing that has to be there during the call, so that this is the last thing its caller does: a
/// jump, by which no frame of theirs stays on the stack.
#[inline]
pub fn read_around(
    slot: Slot<'_>,
    gfp: Flags,
    fault: Fault<'_>,
    range: Range<usize>,
) -> Option<ARef<Folio>> {
    // C maps one page table, and goes on to the next entry without looking.
    let span = page_table_span();
    let table = fault.address() & !(span - 1);
    let start = range.start.max(fault.vma().start()).max(table);
    let end = range
        .end
        .min(fault.vma().end())
        .min(table.wrapping_add(span));
    // SAFETY: The fault is being handled, the slot's device is kept. The range is within the VMA, and
    // within the page table that the fault's `pmd` has. C returns null, or a folio with a reference
    // that is ours.
    unsafe {
        let folio =
            bindings::swap_vma_read_around(slot.as_raw(), gfp.as_raw(), fault.as_raw(), start, end);
        NonNull::new(folio).map(|folio| ARef::from_raw(folio.cast::<Folio>()))
    }
}
