// SPDX-License-Identifier: GPL-2.0-or-later

//! The word of an entry: all its fields except pointers, packed into 64 bits. Pure arithmetic.
//!
//! ```text
//!   63..62      61     60         24 23         8 7       0
//! +--------+----------+--------------+------------+---------+
//! |  zero  |referenced|     slot     | length - 1 | pool id |
//! +--------+----------+--------------+------------+---------+
//! ```
//!
//! `slot` has [`SwapEntry::BITS`] bits, 37 at most. If it has fewer, `referenced` is at a lower bit.

use kernel::{
    mm::swapops::SwapEntry,
    page::PAGE_SIZE, //
};

const LEN_SHIFT: u32 = u8::BITS;
const LEN_BITS: u32 = 16;
const LEN_MASK: u64 = (1 << LEN_BITS) - 1;

const SLOT_SHIFT: u32 = LEN_SHIFT + LEN_BITS;
const REFERENCED: u64 = 1 << (SLOT_SHIFT + SwapEntry::BITS);

const _: () = assert!(PAGE_SIZE <= 1 << LEN_BITS);
const _: () = assert!(SLOT_SHIFT + SwapEntry::BITS < u64::BITS);

/// The word of an entry. See [the module](self).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryWord(u64);

impl EntryWord {
    /// The word of a new entry, with the `referenced` flag set: for the page of `slot`, stored in `len`
    /// bytes (1 to `PAGE_SIZE`) in a pool.
    pub(crate) fn new(pool_id: u8, len: usize, slot: SwapEntry) -> Self {
        let len = len.wrapping_sub(1) as u64 & LEN_MASK;
        Self(REFERENCED | slot.pack() << SLOT_SHIFT | len << LEN_SHIFT | u64::from(pool_id))
    }

    /// The word with these bits.
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// All bits.
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// The id of the pool.
    pub(crate) fn pool_id(self) -> u8 {
        self.0 as u8
    }

    /// The number of bytes: never 0.
    pub(crate) fn len(self) -> usize {
        let len = self.0 >> LEN_SHIFT & LEN_MASK;
        (len as usize).wrapping_add(1)
    }

    /// The slot that the entry was stored for.
    pub(crate) fn slot(self) -> SwapEntry {
        SwapEntry::unpack(self.0 >> SLOT_SHIFT)
    }

    /// Whether the entry gets a second chance from the shrinker: C's `referenced`.
    pub(crate) fn referenced(self) -> bool {
        self.0 & REFERENCED != 0
    }

    /// The same word with the `referenced` flag clear.
    pub(crate) fn without_referenced(self) -> Self {
        Self(self.0 & !REFERENCED)
    }
}
