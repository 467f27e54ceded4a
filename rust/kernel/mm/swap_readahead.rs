// SPDX-License-Identifier: GPL-2.0

//! Swap readahead: the parts that stay in C.
//!
//! The sysctl, the switch in sysfs, and the page-table walk are in mm/swap_state.c.
//!
//! C header: `mm/swap.h`

use crate::{
    alloc::Flags,
    bindings,
    mm::{
        fault::{
            page_table_span,
            Fault, //
        },
        folio::Folio,
        swap_cluster::Slot, //
    },
    prelude::*,
    sync::{
        aref::ARef,
        atomic::{
            Atomic,
            Relaxed, //
        },
    },
};
use core::{
    ops::Range,
    ptr::NonNull, //
};

/// The largest window of VMA readahead, as a power of 2. Mirrors `SWAP_RA_ORDER_CEILING`.
pub const READAHEAD_MAX_ORDER: u32 = bindings::SWAP_RA_ORDER_CEILING;

/// The largest window, in pages: 2 to the power of `vm.page-cluster`, which ranges from 0 to 31.
#[inline]
pub fn max_window() -> u32 {
    let order: *mut c_int = &raw mut bindings::page_cluster;
    // SAFETY: It is a static in C, valid forever, and C writes it with single stores.
    let order = unsafe { &*order.cast::<Atomic<i32>>() }.load(Relaxed);
    1u32.checked_shl(order as u32).unwrap_or(1)
}

/// Whether VMA readahead is enabled: `/sys/kernel/mm/swap/vma_ra_enabled`.
#[inline]
pub fn vma_readahead_is_on() -> bool {
    let on: *mut bool = &raw mut bindings::enable_vma_readahead;
    // SAFETY: It is a static in C, valid forever, and C writes it with single stores.
    unsafe { &*on.cast::<Atomic<bool>>() }.load(Relaxed)
}

/// VMA readahead of the pages that the fault's page table has in `range`, in bytes, which may be
/// empty; then reads the page of `slot`, the fault's. Uses the memory policy of the fault's
/// address. May sleep.
///
/// Returns that page's folio; `None` if there is no memory, or if the slot isn't in use. Mirrors
/// `swap_vma_readahead()`.
///
/// Keeps no locals alive over the call into C, so that it compiles to a tail call, and no frame of
/// its callers stays on the stack.
#[inline]
pub fn read_around(
    slot: Slot<'_>,
    gfp: Flags,
    fault: Fault<'_>,
    range: Range<usize>,
) -> Option<ARef<Folio>> {
    // C maps one page table, and advances to the next entry without a bounds check.
    let span = page_table_span();
    let table = fault.address() & !(span - 1);
    let start = range.start.max(fault.vma().start()).max(table);
    let end = range
        .end
        .min(fault.vma().end())
        .min(table.wrapping_add(span));
    // SAFETY: The fault is being handled, and the slot's device isn't swapped off. The range is within the
    // VMA, and within the page table of the fault's `pmd`. C returns null, or a folio with a
    // reference that is ours.
    unsafe {
        let folio =
            bindings::swap_vma_read_around(slot.as_raw(), gfp.as_raw(), fault.as_raw(), start, end);
        NonNull::new(folio).map(|folio| ARef::from_raw(folio.cast::<Folio>()))
    }
}
