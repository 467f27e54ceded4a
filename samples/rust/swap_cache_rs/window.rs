// SPDX-License-Identifier: GPL-2.0-or-later

//! How far to read ahead. Pure arithmetic.

use core::ops::Range;

const PAGE_SHIFT: u32 = kernel::page::PAGE_SHIFT as u32;
const PAGE_SIZE: usize = 1 << PAGE_SHIFT;
const PAGE_MASK: usize = !(PAGE_SIZE - 1);

/// The window, in pages, for a fault at page `here`.
///
/// `hits` of the pages that were read ahead since the last one were wanted, which was at `prev`, and
/// had a window of `last`. No more than `max`, unless `last` was twice that.
///
/// Mirrors `__swapin_nr_pages()`.
pub(crate) fn nr_pages(prev: usize, here: usize, hits: u32, max: u32, last: u32) -> u32 {
    let wanted = if hits == 0 {
        // Nothing to judge by: look whether it is next to the last one, so as not to be stuck here.
        let next_to = here == prev.wrapping_add(1) || here == prev.wrapping_sub(1);
        if next_to {
            2
        } else {
            1
        }
    } else {
        // The + 2 is C's, which says that it just happens to work well.
        hits.saturating_add(2)
            .checked_next_power_of_two()
            .unwrap_or(max)
            .max(4)
    };
    // Not to shrink too fast.
    wanted.min(max).max(last / 2)
}

/// What is noted of a VMA: the last fault, its window, and the hits since.
///
/// Packed into a word as C has it: the page's address, 6 bits of window, 6 bits of hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noted {
    pub(crate) address: usize,
    pub(crate) window: u32,
    pub(crate) hits: u32,
}

const WINDOW_SHIFT: u32 = PAGE_SHIFT / 2;
const HITS_MAX: usize = (1 << WINDOW_SHIFT) - 1;
const WINDOW_MASK: usize = !PAGE_MASK & !HITS_MAX;

impl Noted {
    /// Mirrors `GET_SWAP_RA_VAL()`: 4 hits to start with, for a small window.
    #[inline]
    pub(crate) fn unpack(word: usize) -> Self {
        let word = if word == 0 { 4 } else { word };
        Self {
            address: word & PAGE_MASK,
            window: ((word & WINDOW_MASK) >> WINDOW_SHIFT) as u32,
            hits: (word & HITS_MAX) as u32,
        }
    }

    /// Mirrors `SWAP_RA_VAL()`.
    #[inline]
    pub(crate) fn pack(self) -> usize {
        (self.address & PAGE_MASK)
            | (((self.window as usize) << WINDOW_SHIFT) & WINDOW_MASK)
            | (self.hits as usize & HITS_MAX)
    }

    /// One more hit, if `hit`, at `address`.
    #[inline]
    pub(crate) fn with_hit(self, address: usize, hit: bool) -> Self {
        Self {
            address,
            hits: (self.hits + u32::from(hit)).min(HITS_MAX as u32),
            ..self
        }
    }
}

/// The addresses around a fault at `here` that a window of `pages` covers, if the last fault was at
/// `prev`: ahead in the direction that the two show, else on both sides. Within `vma`, and within
/// the page table of `here`, which maps `table` bytes.
///
/// Mirrors the end of `swap_vma_ra_win()`.
pub(crate) fn around(
    here: usize,
    prev: usize,
    pages: u32,
    vma: Range<usize>,
    table: usize,
) -> Range<usize> {
    let size = (pages as usize) << PAGE_SHIFT;
    let left = if here == prev.wrapping_add(PAGE_SIZE) {
        here
    } else if prev == here.wrapping_add(PAGE_SIZE) {
        here.wrapping_sub(size).wrapping_add(PAGE_SIZE)
    } else {
        here.wrapping_sub(((pages as usize).saturating_sub(1) / 2) << PAGE_SHIFT)
    };
    let right = left.wrapping_add(size);
    // Below the first address there is nothing.
    let left = if (left as isize) < 0 { 0 } else { left };
    let first = here & !(table - 1);
    left.max(vma.start).max(first)..right.min(vma.end).min(first.wrapping_add(table))
}
