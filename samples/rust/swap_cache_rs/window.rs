// SPDX-License-Identifier: GPL-2.0-or-later

//! The readahead window. Pure arithmetic.

use core::ops::Range;

const PAGE_SHIFT: u32 = kernel::page::PAGE_SHIFT as u32;
const PAGE_SIZE: usize = 1 << PAGE_SHIFT;
const PAGE_MASK: usize = !(PAGE_SIZE - 1);

/// The window, in pages, for a fault at page `here`.
///
/// The last window was around page `prev` and `last` pages wide, and has had `hits` readahead hits.
/// The window is at most `max`, unless `last` was more than twice that.
///
/// Mirrors `__swapin_nr_pages()`.
pub(crate) fn nr_pages(prev: usize, here: usize, hits: u32, max: u32, last: u32) -> u32 {
    let wanted = if hits == 0 {
        // No hits: a fault next to the last one opens the window, so that it can grow again.
        let next_to = here == prev.wrapping_add(1) || here == prev.wrapping_sub(1);
        if next_to {
            2
        } else {
            1
        }
    } else {
        // The + 2 is that of C, with the comment "just happens to work well".
        hits.saturating_add(2)
            .checked_next_power_of_two()
            .unwrap_or(max)
            .max(4)
    };
    // Don't shrink too fast.
    wanted.min(max).max(last / 2)
}

/// The readahead state of a VMA: the address of the last fault, its window, and the hits since then.
///
/// Packed into a machine word as in C: the page's address, 6 bits of window, 6 bits of hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReadaheadState {
    pub(crate) address: usize,
    pub(crate) window: u32,
    pub(crate) hits: u32,
}

const WINDOW_SHIFT: u32 = PAGE_SHIFT / 2;
const HITS_MAX: usize = (1 << WINDOW_SHIFT) - 1;
const WINDOW_MASK: usize = !PAGE_MASK & !HITS_MAX;

impl ReadaheadState {
    /// Mirrors `GET_SWAP_RA_VAL()`: starts with 4 hits, for a small window.
    pub(crate) fn unpack(word: usize) -> Self {
        let word = if word == 0 { 4 } else { word };
        Self {
            address: word & PAGE_MASK,
            window: ((word & WINDOW_MASK) >> WINDOW_SHIFT) as u32,
            hits: (word & HITS_MAX) as u32,
        }
    }

    /// Mirrors `SWAP_RA_VAL()`.
    pub(crate) fn pack(self) -> usize {
        (self.address & PAGE_MASK)
            | (((self.window as usize) << WINDOW_SHIFT) & WINDOW_MASK)
            | (self.hits as usize & HITS_MAX)
    }

    /// The state after a fault at `address`, with one more hit if `hit`.
    pub(crate) fn with_hit(self, address: usize, hit: bool) -> Self {
        Self {
            address,
            hits: (self.hits + u32::from(hit)).min(HITS_MAX as u32),
            ..self
        }
    }
}

/// The addresses that a window of `pages` covers around a fault at `here`, if the last fault was at
/// `prev`. If the two are adjacent, the window extends in their direction, otherwise to both sides.
/// It is clipped to `reach`: the VMA, as far as the page table of `here` maps it.
///
/// Mirrors the end of `swap_vma_ra_win()`.
pub(crate) fn around(here: usize, prev: usize, pages: u32, reach: Range<usize>) -> Range<usize> {
    let size = (pages as usize) << PAGE_SHIFT;
    let left = if here == prev.wrapping_add(PAGE_SIZE) {
        here
    } else if prev == here.wrapping_add(PAGE_SIZE) {
        here.wrapping_sub(size).wrapping_add(PAGE_SIZE)
    } else {
        here.wrapping_sub(((pages as usize).saturating_sub(1) / 2) << PAGE_SHIFT)
    };
    let right = left.wrapping_add(size);
    // Clip at address 0.
    let left = if (left as isize) < 0 { 0 } else { left };
    left.max(reach.start)..right.min(reach.end)
}
