// SPDX-License-Identifier: GPL-2.0-or-later

//! A bitmap of pages of a folio.

use core::ops::Range;

/// A set of pages of a folio. Iterates over their indices, in order, which are below 2^32.
///
/// # Invariants
///
/// `left` is the number of bits that are set in `bits`.
#[derive(Clone, Copy)]
pub(crate) struct PageMask {
    first: u32,
    /// Cached, since counting bits takes a dozen instructions without `POPCNT`.
    left: u32,
    /// Bit 0 is that of the index `first`.
    bits: usize,
}

impl PageMask {
    /// The maximum number of pages.
    pub(crate) const MOST: usize = usize::BITS as usize;

    /// All of `indices`, or the first [`PageMask::MOST`] of them.
    pub(crate) fn new(indices: Range<usize>) -> Self {
        let len = indices.end.saturating_sub(indices.start).min(Self::MOST);
        // INVARIANT: The lowest `len` bits are set.
        Self {
            first: indices.start as u32,
            left: len as u32,
            bits: usize::MAX
                .checked_shr(usize::BITS.wrapping_sub(len as u32))
                .unwrap_or(0),
        }
    }

    /// The index of bit 0, and the bits.
    pub(super) fn bits(self) -> (usize, usize) {
        (self.first as usize, self.bits)
    }

    /// The bit of `index`, which must be in the range that this was created for.
    pub(super) fn bit(self, index: usize) -> usize {
        1usize.wrapping_shl((index as u32).wrapping_sub(self.first))
    }

    /// The pages of this set whose bit is set in `bits`.
    pub(super) fn only(self, bits: usize) -> Self {
        let bits = self.bits & bits;
        // INVARIANT: `left` is counted anew.
        Self {
            bits,
            left: bits.count_ones(),
            ..self
        }
    }

    /// The number of pages.
    pub(crate) fn len(self) -> usize {
        self.left as usize
    }
}

impl Iterator for PageMask {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.bits == 0 {
            return None;
        }
        let bit = self.bits.trailing_zeros();
        // INVARIANT: One bit is cleared.
        self.bits &= self.bits.wrapping_sub(1);
        self.left = self.left.wrapping_sub(1);
        Some(self.first.wrapping_add(bit) as usize)
    }
}
