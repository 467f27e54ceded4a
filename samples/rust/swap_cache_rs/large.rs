// SPDX-License-Identifier: GPL-2.0-or-later

//! Large swap-ins: chooses the orders of the folio that a page fault swaps in. C has no counterpart:
//! once zswap was enabled, it swaps in no large folio.
//!
//! A large folio saves work for each of its pages, but only if they are used. Otherwise it costs
//! decompression, memory, and the reclaim of other pages. So a fault swaps in a block of pages if the
//! block before or after it was accessed, and a page next to it as well, as the access bits of the page
//! table show; and only as long as the cgroup has room for it. It does not matter whether zswap has the
//! pages, or a device that is as fast as memory.
//!
//! A cgroup at its limit, where most swap-ins are, would swap out at once what was swapped in. It has a
//! few pages of room after each reclaim. They are used only for what seems to be a stream: for a block
//! after one that was accessed, all of whose pages are likely to be read next.
//!
//! A page of shared memory brings the folio in which it was swapped out, if the page before it is there.
//!
//! The choice is a hint. Whether zswap has all pages of a block is decided when the folio is added.

use core::ops::Range;
use kernel::{
    mm::{
        fault::{
            access_bits_are_exact,
            memcg_room,
            AccessPattern,
            Fault, //
        },
        swap_cluster::{
            admits_all,
            zswap_large_swapin_enabled,
            zswap_never_enabled,
            Slot, //
        },
    },
    page::{
        PAGE_SHIFT,
        PAGE_SIZE, //
    },
};

/// The order of the largest folio that is swapped in from zswap: 64 KiB. A fault waits until all
/// pages are decompressed.
pub(crate) const MAX_ORDER: u32 = 16u32.saturating_sub(PAGE_SHIFT as u32);

/// The pages that a cgroup charges in advance, per CPU. Mirrors `MEMCG_CHARGE_BATCH`.
const CHARGE_BATCH: usize = 64;

/// Those of the `suitable` orders that may be tried for the fault on the page of `slot`; 0 for none
/// other than a single page. Orders are sets of bits. C has checked that large swap-ins are on, or
/// zswap was never enabled (either may change meanwhile), and which orders are suitable: the settings of
/// transparent huge pages allow them, the pages are within the VMA, and the slots are aligned like the
/// pages. Doesn't sleep.
///
/// Looks at one fact after the other: first those that refuse most often for the least work.
#[inline]
pub(crate) fn orders(slot: Slot<'_>, fault: Fault<'_>, suitable: usize) -> usize {
    if zswap_never_enabled() {
        // C's rule: only from devices that are as fast as memory.
        return if slot.is_synchronous() { suitable } else { 0 };
    }
    // Swapoff maps pages one by one, and has to try again if it finds a large folio.
    if !slot.is_writable() {
        return 0;
    }
    // A page that fork or KSM shares stays in its slot, and can't be mapped as part of a large folio. The
    // sizes for files are other ones.
    let suitable = suitable & up_to(MAX_ORDER);
    if suitable == 0 || !fault.is_exclusive() || !fault.vma().is_anonymous() {
        return 0;
    }
    let orders = likely(fault, suitable);
    if orders == 0 || slot.is_synchronous() || slot.seems_zero() || slot.seems_in_zswap() {
        orders
    } else {
        0
    }
}

/// The orders, as a set of bits, that may be tried for a page of shared memory. C tries only the order
/// with which the page was swapped out. There is a `fault` unless the page is read by a system call, or
/// by swapoff. It is `sequential` if the page before this one is in the page cache. The room is that of
/// the process that reads; the folio is charged to the cgroup of its slots. Doesn't sleep.
///
/// No page table is looked at: several may map the page, or none. Swapoff reads all pages anyhow, and puts
/// a large folio into the page cache as a whole.
pub(crate) fn orders_of_file(slot: Slot<'_>, fault: Option<Fault<'_>>, sequential: bool) -> usize {
    // As C: only from devices that are as fast as memory.
    let from_device = || {
        if slot.is_synchronous() {
            usize::MAX
        } else {
            0
        }
    };
    if zswap_never_enabled() {
        return from_device();
    }
    if !zswap_large_swapin_enabled() {
        return 0;
    }
    if !slot.seems_zero() && !slot.seems_in_zswap() {
        return from_device();
    }
    let orders = up_to(MAX_ORDER);
    if admits_all() {
        return orders;
    }
    let pattern = fault.map_or(AccessPattern::Normal, |fault| fault.vma().access_pattern());
    let has_room = |least| memcg_room(fault) >= least;
    let goes_on = match pattern {
        AccessPattern::Random => false,
        AccessPattern::Sequential => has_room(1 << MAX_ORDER),
        // One page is no stream.
        AccessPattern::Normal => !slot.is_writable() || sequential && has_room(room_for(MAX_ORDER)),
    };
    if goes_on {
        orders
    } else {
        0
    }
}

/// The part of a readahead window around the fault that is within the block which could be swapped in
/// as a whole with the page of `slot`; all of it if no such block is swapped in here.
///
/// Windows begin anywhere. Each would swap in a page of a neighbouring block, and with a page of it in
/// the swap cache, that block isn't swapped in as a whole. But a window that is cut costs faults.
pub(crate) fn clip(slot: Slot<'_>, fault: Fault<'_>, window: Range<usize>) -> Range<usize> {
    let (address, vma) = (fault.address(), fault.vma());
    let in_blocks = !zswap_never_enabled()
        && zswap_large_swapin_enabled()
        && largest_fit(address, slot.offset(), &vma.range()) == MAX_ORDER
        && fault.allowable_orders(1 << MAX_ORDER) != 0
        && (slot.seems_zero() || slot.seems_in_zswap())
        && fault.is_exclusive()
        && match vma.access_pattern() {
            AccessPattern::Random => false,
            AccessPattern::Sequential => true,
            AccessPattern::Normal => access_bits_are_exact(),
        }
        && memcg_room(Some(fault)) >= 1 << MAX_ORDER;
    if !in_blocks {
        return window;
    }
    let block = block(address, MAX_ORDER);
    window.start.max(block.start)..window.end.min(block.end)
}

/// Those of `orders` all of whose pages are likely to be used soon, and for which the cgroup has room.
#[inline(never)]
fn likely(fault: Fault<'_>, orders: usize) -> usize {
    if admits_all() {
        return orders;
    }
    match fault.vma().access_pattern() {
        AccessPattern::Random => 0,
        AccessPattern::Sequential => orders & within(memcg_room(Some(fault))),
        AccessPattern::Normal if access_bits_are_exact() => beside_accessed(fault, orders),
        AccessPattern::Normal => 0,
    }
}

/// The orders of folios of at most `pages` pages, as a set of bits.
fn within(pages: usize) -> usize {
    pages
        .checked_ilog2()
        .map_or(0, |order| up_to(order.min(MAX_ORDER)))
}

/// The orders from 1 to `order`, as a set of bits.
pub(crate) const fn up_to(order: u32) -> usize {
    (2 << order) - 2
}

/// The largest order, up to [`MAX_ORDER`], with which the slots of a folio around `address` are
/// aligned like its pages, and the pages are within `vma`. So are those of smaller orders.
///
/// Mirrors `thp_swap_suitable_orders()` and `thp_vma_suitable_orders()`.
pub(crate) fn largest_fit(address: usize, offset: usize, vma: &Range<usize>) -> u32 {
    let aligned = ((address / PAGE_SIZE) ^ offset).trailing_zeros();
    let mut order = aligned.min(MAX_ORDER);
    while order > 0 && !is_within(&block(address, order), vma) {
        order -= 1;
    }
    order
}

/// The addresses of the aligned block of `2^order` pages that contains `address`.
fn block(address: usize, order: u32) -> Range<usize> {
    let size = PAGE_SIZE << order;
    let start = address & !size.wrapping_sub(1);
    start..start.saturating_add(size)
}

fn is_within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Those of `orders` up to the largest at which the block before that of the fault was accessed, at least
/// three quarters of its pages. The block after it counts as well if the cgroup has the room of
/// [`room_for`]. A block must be within the VMA and the fault's page table. One of the two pages next to the fault's block
/// must have been accessed: most faults need no further look.
fn beside_accessed(fault: Fault<'_>, mut orders: usize) -> usize {
    let (address, reach) = (fault.address(), fault.reach());
    let mut room = None;
    while orders != 0 {
        let order = orders.ilog2();
        if fault.has_young_beside(order) {
            let nr = 1usize << order;
            let size = PAGE_SIZE << order;
            let here = block(address, order).start;
            let room = *room.get_or_insert_with(|| memcg_room(Some(fault)));
            let was_accessed = |start: Option<usize>| {
                start.is_some_and(|start| {
                    start >= reach.start
                        && reach.end.saturating_sub(start) >= size
                        && fault.has_young(start, nr, nr.wrapping_sub(nr / 4))
                })
            };
            if room >= nr
                && (was_accessed(here.checked_sub(size))
                    || room >= room_for(order) && was_accessed(here.checked_add(size)))
            {
                break;
            }
        }
        orders &= !(1 << order);
    }
    orders
}

/// The pages that a cgroup must have left for a folio of this order, unless it seems to belong to a stream:
/// twice its size, and no less than what C charges at a time.
pub(crate) fn room_for(order: u32) -> usize {
    let twice = 2 << order;
    if twice > CHARGE_BATCH {
        twice
    } else {
        CHARGE_BATCH
    }
}
