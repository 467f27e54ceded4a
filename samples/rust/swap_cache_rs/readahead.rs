// SPDX-License-Identifier: GPL-2.0-or-later

//! Readahead: reads the pages around a page that is swapped in, since those may be needed soon.

#[cfg(CONFIG_ZSWAP_LARGE_SWAPIN)]
use super::large::clip;
use super::{
    swapin::read,
    window::{
        self,
        ReadaheadState, //
    },
};
use core::ops::Range;
use kernel::{
    alloc::Flags,
    block::plug::plugged,
    mm::{
        fault::{
            has_rotating_device,
            AllocContext,
            Fault,
            Vma, //
        },
        folio::{
            Folio,
            FolioRef, //
        },
        swap_cache::Reads,
        swap_cluster::Slot,
        swap_readahead::{
            max_window,
            read_around,
            vma_readahead_is_on,
            READAHEAD_MAX_ORDER, //
        },
        vmstat::{
            self,
            Event, //
        },
    },
    sync::atomic::{
        Atomic,
        Relaxed, //
    },
};

/// Hits of physical readahead since the last window. The initial value 4 gives a small window.
static HITS: Atomic<u32> = Atomic::new(4);

/// Whether VMA readahead is used instead of physical readahead. False with a rotating disk, which
/// seeks slowly. Mirrors `swap_use_vma_readahead()`.
fn use_vma_readahead() -> bool {
    vma_readahead_is_on() && !has_rotating_device()
}

/// Updates the readahead state after a folio was found in the swap cache. If `vma` is `Some`, a fault
/// at `address` found it.
///
/// Large folios are ignored: readahead adds none.
pub(crate) fn update(folio: &Folio, vma: Option<Vma<'_>>, address: usize) {
    if folio.is_large() {
        return;
    }
    let vma = vma.filter(|_| use_vma_readahead());
    let hit = folio.take_readahead();
    if let Some(vma) = vma {
        let info = vma.swap_readahead_info();
        let last = ReadaheadState::unpack(info.load(Relaxed) as usize);
        info.store(last.with_hit(address, hit).pack() as isize, Relaxed);
    }
    if hit {
        vmstat::count(Event::SWAP_RA_HIT, 1);
        if vma.is_none() {
            HITS.fetch_add(1, Relaxed);
        }
    }
}

/// Swaps in the page of `slot` for a fault, with readahead. May sleep.
///
/// Mirrors `swapin_readahead()` and `swap_vma_readahead()`.
pub(crate) fn swapin_readahead(slot: Slot<'_>, gfp: Flags, fault: Fault<'_>) -> Option<FolioRef> {
    if use_vma_readahead() {
        read_around(slot, gfp, fault, window_in_memory(slot, fault))
    } else {
        cluster_readahead_for_fault(slot, gfp, fault)
    }
}

/// Swaps in the page of `slot` for a fault, with physical readahead. May sleep.
#[inline(never)] // stack: with its locals there, the caller couldn't tail-call read_around()
fn cluster_readahead_for_fault(slot: Slot<'_>, gfp: Flags, fault: Fault<'_>) -> Option<FolioRef> {
    AllocContext::with_policy_of(fault.vma(), fault.address(), gfp, |context| {
        cluster_readahead(slot, context)
    })
}

/// Swaps in the page of `slot` with physical readahead, which reads an aligned block of slots on the
/// device. All use the same memory policy, since pages in neighbouring slots are likely to come from
/// one node. May sleep.
pub(crate) fn cluster_readahead(slot: Slot<'_>, context: &AllocContext<'_>) -> Option<FolioRef> {
    let offset = slot.offset();
    let mask = window_on_device(offset) - 1;
    if mask > 0 {
        let first = (offset & !mask).max(1); // slot 0 is the header
        let last = (offset | mask).min(slot.device_len().saturating_sub(1));
        Reads::together(|reads| {
            plugged(|| {
                for at in first..=last {
                    if let Some(slot) = slot.at(at) {
                        drop(read(slot, context, reads, at != offset));
                    }
                }
            })
        });
    }
    read_alone(slot, context)
}

/// Reads the page itself; readahead has probably added it to the swap cache already. Mirrors
/// `swap_cache_read_folio_sync()`.
fn read_alone(slot: Slot<'_>, context: &AllocContext<'_>) -> Option<FolioRef> {
    Reads::together(|reads| read(slot, context, reads, false))
}

/// The window of physical readahead around a slot, in pages: a power of two.
///
/// Mirrors `swapin_nr_pages()`.
fn window_on_device(offset: usize) -> usize {
    static PREV_OFFSET: Atomic<usize> = Atomic::new(0);
    static LAST_WINDOW: Atomic<u32> = Atomic::new(0);

    let max = max_window();
    if max <= 1 {
        return 1;
    }
    let hits = HITS.xchg(0, Relaxed);
    let pages = window::nr_pages(
        PREV_OFFSET.load(Relaxed),
        offset,
        hits,
        max,
        LAST_WINDOW.load(Relaxed),
    );
    if hits == 0 {
        PREV_OFFSET.store(offset, Relaxed);
    }
    LAST_WINDOW.store(pages, Relaxed);
    pages as usize
}

/// The window of VMA readahead: the addresses to read around a fault. An empty range means the
/// faulting page alone.
///
/// Mirrors `swap_vma_ra_win()`.
fn window_in_memory(slot: Slot<'_>, fault: Fault<'_>) -> Range<usize> {
    let max = max_window().min(1 << READAHEAD_MAX_ORDER);
    if max == 1 {
        return 0..0;
    }
    let info = fault.vma().swap_readahead_info();
    let last = ReadaheadState::unpack(info.load(Relaxed) as usize);
    let address = fault.address();
    let page = |address: usize| address / kernel::page::PAGE_SIZE;
    let window = window::nr_pages(
        page(last.address),
        page(address),
        last.hits,
        max,
        last.window,
    );
    let now = ReadaheadState {
        address,
        window,
        hits: 0,
    };
    info.store(now.pack() as isize, Relaxed);
    if window <= 1 {
        return 0..0;
    }
    let window = window::around(address, last.address, window, fault.reach());
    clip(slot, fault, window)
}

/// Without large folios from zswap, a window is read as it is.
#[cfg(not(CONFIG_ZSWAP_LARGE_SWAPIN))]
#[inline]
fn clip(_: Slot<'_>, _: Fault<'_>, window: Range<usize>) -> Range<usize> {
    window
}
