// SPDX-License-Identifier: GPL-2.0

//! Swap readahead: access to its settings, and to its page-table walk.
//!
//! mm/swap_state.c has the sysctl, the switch in sysfs, and the walk.
//!
//! C header: `mm/swap.h`

use crate::{
    alloc::Flags,
    bindings,
    mm::{
        fault::Fault,
        folio::FolioRef,
        swap_cluster::Slot, //
    },
    prelude::*,
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};
use core::{
    ops::Range,
    ptr::NonNull, //
};

/// The largest window of VMA readahead: its size in pages is 2 to the power of this. Mirrors
/// `SWAP_RA_ORDER_CEILING`.
pub const READAHEAD_MAX_ORDER: u32 = bindings::SWAP_RA_ORDER_CEILING;

/// The largest readahead window, in pages: 2 to the power of `vm.page-cluster`, which ranges from 0
/// to 31. Mirrors `page_cluster`.
#[inline]
pub fn max_window() -> u32 {
    let order: *mut c_int = &raw mut bindings::page_cluster;
    // SAFETY: It is a C static, which is never freed. C writes it with single stores.
    let order = unsafe { &*order.cast::<Atomic<i32>>() }.load(Relaxed);
    1u32.checked_shl(order as u32).unwrap_or(1)
}

/// Whether VMA readahead is enabled: `/sys/kernel/mm/swap/vma_ra_enabled`. Mirrors
/// `enable_vma_readahead`.
#[inline]
pub fn vma_readahead_is_on() -> bool {
    let on: *mut bool = &raw mut bindings::enable_vma_readahead;
    // SAFETY: It is a C static, which is never freed. C writes it with single stores.
    unsafe { &*on.cast::<Atomic<bool>>() }.load(Relaxed)
}

/// Starts readahead of the swapped-out pages in `range`, then reads the page of `slot`, the slot
/// of the fault. `range` is of virtual addresses, and may be empty; it is limited to the VMA and to the
/// fault's page table. Allocates by the memory policy for the fault's address. May sleep.
///
/// Returns the folio of the fault's page; `None` if there is no memory, or if the slot isn't in
/// use. Mirrors `swap_vma_readahead()`.
///
/// No local is used after the call into C, so that it compiles to a tail call, and no frame of this
/// function stays on the stack.
#[inline]
pub fn read_around(
    slot: Slot<'_>,
    gfp: Flags,
    fault: Fault<'_>,
    range: Range<usize>,
) -> Option<FolioRef> {
    // C maps one page table, and advances to the next entry without a bounds check.
    let reach = fault.reach();
    let (start, end) = (range.start.max(reach.start), range.end.min(reach.end));
    // SAFETY: The fault is being handled, and the slot's device isn't swapped off. The range is within the
    // VMA, and within the page table of the fault's `pmd`. C returns null, or a folio with a
    // reference, which the caller owns.
    unsafe {
        let folio =
            bindings::swap_vma_read_around(slot.as_raw(), gfp.as_raw(), fault.as_raw(), start, end);
        NonNull::new(folio).map(|folio| FolioRef::from_raw(folio))
    }
}
