// SPDX-License-Identifier: GPL-2.0-or-later

//! What an entry keeps in the tag of its object, so that it takes no memory of its own: the slot that it
//! was stored for, and two flags. Arithmetic, and nothing else.

use kernel::mm::{
    swapops::SwapEntry,
    zsmalloc::TAG_BITS, //
};

const SLOT: u64 = (1 << SwapEntry::BITS) - 1;
const REFERENCED: u64 = SLOT + 1;
const COUNTED: u64 = REFERENCED << 1;

const _: () = assert!(COUNTED >> TAG_BITS == 0);

/// A slot, whether the entry gets a second chance when the shrinker comes to it, and whether it is one of
/// the stored pages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag(u64);

impl Tag {
    /// Of an entry that is new: it gets a second chance, and is counted.
    #[inline]
    pub(crate) fn new(swap: SwapEntry) -> Self {
        Self(swap.pack() | REFERENCED | COUNTED)
    }

    /// That of an object.
    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// For an object.
    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// The slot that the entry was stored for.
    #[inline]
    pub(crate) fn swap(self) -> SwapEntry {
        SwapEntry::unpack(self.0)
    }

    /// Whether the entry gets a second chance: C's `referenced`.
    #[inline]
    pub(crate) fn referenced(self) -> bool {
        self.0 & REFERENCED != 0
    }

    /// The same, without a second chance.
    #[inline]
    pub(crate) fn without_second_chance(self) -> Self {
        Self(self.0 & !REFERENCED)
    }

    /// Whether the entry is one of the stored pages.
    #[inline]
    pub(crate) fn counted(self) -> bool {
        self.0 & COUNTED != 0
    }

    /// The same, no longer counted.
    #[inline]
    pub(crate) fn without_count(self) -> Self {
        Self(self.0 & !COUNTED)
    }
}
