// SPDX-License-Identifier: GPL-2.0-or-later

//! A bitmap of some pages of a folio.

use core::ops::Range;

/// Some pages of a folio, in order, as their indices, which are below 2^32.
///
/// # Invariants
///
/// `left` of `bits` are set.
#[derive(Clone, Copy)]
pub(crate) struct PageMask {
    first: u32,
    /// Counting bits takes a dozen instructions without `POPCNT`.
    left: u32,
    /// Of the indices from `first` on.
    bits: usize,
}

impl PageMask {
    /// The most pages that it can have.
    pub(crate) const MOST: usize = usize::BITS as usize;

    /// All of `indices`; of more than [`PageMask::MOST`], the first.
    #[inline]
    pub(crate) fn new(indices: Range<usize>) -> Self {
        let len = indices.end.saturating_sub(indices.start).min(Self::MOST);
        // INVARIANT: The lowest `len`.
        Self {
            first: indices.start as u32,
            left: len as u32,
            bits: usize::MAX
                .checked_shr(usize::BITS.wrapping_sub(len as u32))
                .unwrap_or(0),
        }
    }

    /// The index of the first bit, and the bits.
    #[inline]
    pub(super) fn bits(self) -> (usize, usize) {
        (self.first as usize, self.bits)
    }

    /// The bit of `index`, which is one of them.
    #[inline]
    pub(super) fn bit(self, index: usize) -> usize {
        1usize.wrapping_shl((index as u32).wrapping_sub(self.first))
    }

    /// Those of them whose bit is in `bits`.
    pub(super) fn only(self, bits: usize) -> Self {
        let bits = self.bits & bits;
        // INVARIANT: Counted.
        Self {
            bits,
            left: bits.count_ones(),
            ..self
        }
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(self) -> usize {
        self.left as usize
    }
}

impl Iterator for PageMask {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.bits == 0 {
            return None;
        }
        let bit = self.bits.trailing_zeros();
        // INVARIANT: One less.
        self.bits &= self.bits.wrapping_sub(1);
        self.left = self.left.wrapping_sub(1);
        Some(self.first.wrapping_add(bit) as usize)
    }
}
