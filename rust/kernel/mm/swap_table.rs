// SPDX-License-Identifier: GPL-2.0

//! The words of a swap table: what each says about its slot.
//!
//! | slot    | word, from the top                        | means                                    |
//! |---------|-------------------------------------------|------------------------------------------|
//! | null    | all 0                                     | free                                     |
//! | shadow  | count, zero mark, shadow, `1`             | in use, not in the swap cache            |
//! | folio   | count, zero mark, page frame number, `10` | in use, in the swap cache                |
//! | bad     | all 1, then `1000`                        | not for use: the header, a hole          |
//!
//! C writes and reads the same words, in `mm/swapfile.c` and `mm/page_io.c`, so that decoding is
//! total: a pattern that isn't in the table is a [`Word::Unknown`], which nothing can be done with.
//!
//! C header: [`mm/swap_table.h`](srctree/mm/swap_table.h)

use crate::bindings;

/// How the bits of a word are shared out: depends on how many a page frame number can have.
///
/// `PFN_BITS` is `SWAP_CACHE_PFN_BITS`. Everything here is a constant to the compiler.
#[derive(Clone, Copy)]
pub struct Layout<const PFN_BITS: u32>;

/// The layout of this kernel.
pub type Native = Layout<{ bindings::SWAP_TABLE_PFN_BITS as u32 }>;

const WORD_BITS: u32 = usize::BITS;
/// `SWAP_CACHE_PFN_MARK_BITS`
const MARK_BITS: u32 = bindings::SWAP_TABLE_MARK_BITS as u32;
/// `SWP_TB_PFN_MARK`
const FOLIO_MARK: usize = bindings::SWAP_TABLE_FOLIO_MARK;
/// `SWP_TB_SHADOW_MARK`, which is the mark of an XArray's value, too.
const SHADOW_MARK: usize = bindings::SWAP_TABLE_SHADOW_MARK;
/// `SWP_TB_BAD`
const BAD: usize = !bindings::SWAP_TABLE_NOT_BAD;
/// `SWAP_COUNT_MIN_BITS`
const COUNT_MIN_BITS: u32 = bindings::SWAP_TABLE_COUNT_MIN_BITS as u32;

// What is worked out here for this kernel is what mm/swap_table.h has: else this doesn't compile.
const _: () = {
    let flags_shift = Native::FLAGS_SHIFT as usize;
    let count_shift = flags_shift + Native::COUNT_SHIFT as usize;
    assert!(bindings::SWAP_TABLE_NULL == 0);
    // `decode()` looks for these two in this order; the first is `xa_is_value()`.
    assert!(SHADOW_MARK == 0b1);
    assert!(FOLIO_MARK & SHADOW_MARK == 0 && FOLIO_MARK != 0 && FOLIO_MARK >> MARK_BITS == 0);
    assert!(bindings::SWAP_TABLE_MARK_MASK == (1 << MARK_BITS) - 1);
    assert!(BAD & SHADOW_MARK == 0 && BAD & bindings::SWAP_TABLE_MARK_MASK != FOLIO_MARK);
    assert!(Native::HAS_ZERO_MARK == (bindings::SWAP_TABLE_HAS_ZERO != 0));
    assert!(!Native::HAS_ZERO_MARK || bindings::SWAP_TABLE_ZERO == 1 << flags_shift);
    assert!(Native::FLAGS_MASK == !bindings::SWAP_TABLE_NOT_FLAGS);
    assert!(flags_shift == bindings::SWAP_TABLE_FLAGS_SHIFT);
    assert!(usize::MAX << count_shift == !bindings::SWAP_TABLE_NOT_COUNT);
    assert!(count_shift == bindings::SWAP_TABLE_COUNT_SHIFT);
    assert!(usize::MAX >> count_shift == bindings::SWAP_TABLE_COUNT_MAX);
};

impl<const PFN_BITS: u32> Layout<PFN_BITS> {
    /// Whether there is room for the zero mark: `SWAP_TABLE_HAS_ZEROFLAG`. If not, clusters have a
    /// bitmap.
    pub const HAS_ZERO_MARK: bool = WORD_BITS - MARK_BITS - PFN_BITS > COUNT_MIN_BITS;

    /// `SWP_TB_FLAGS_BITS`
    const FLAGS_BITS: u32 = {
        let left = WORD_BITS - MARK_BITS - PFN_BITS;
        assert!(left >= COUNT_MIN_BITS);
        if left < 5 {
            left
        } else {
            5
        }
    };
    /// `SWP_TB_FLAGS_SHIFT`
    const FLAGS_SHIFT: u32 = WORD_BITS - Self::FLAGS_BITS;
    /// `SWP_TB_FLAGS_MASK`
    const FLAGS_MASK: usize = !(usize::MAX >> Self::FLAGS_BITS);
    /// How far the count is up in the flags, which begin with the zero mark.
    const COUNT_SHIFT: u32 = Self::HAS_ZERO_MARK as u32;

    /// What a word says.
    #[inline]
    pub(crate) const fn decode(raw: usize) -> Word<PFN_BITS> {
        // INVARIANT: What the shift leaves.
        let flags = Flags((raw >> Self::FLAGS_SHIFT) as u8);
        let value = raw & !Self::FLAGS_MASK;
        if raw == 0 {
            Word::Null
        } else if raw & SHADOW_MARK != 0 {
            // INVARIANT: The mark was seen, and the flags are masked off.
            Word::Shadow(Shadow(value), flags)
        } else if raw & ((1 << MARK_BITS) - 1) == FOLIO_MARK {
            Word::Folio(Pfn(value >> MARK_BITS), flags)
        } else if raw == BAD {
            Word::Bad
        } else {
            Word::Unknown(raw)
        }
    }

    /// The word that says so.
    #[inline]
    pub(crate) const fn encode(word: Word<PFN_BITS>) -> usize {
        match word {
            Word::Null => 0,
            Word::Shadow(shadow, flags) => shadow.0 | (flags.0 as usize) << Self::FLAGS_SHIFT,
            Word::Folio(pfn, flags) => {
                pfn.0 << MARK_BITS | FOLIO_MARK | (flags.0 as usize) << Self::FLAGS_SHIFT
            }
            Word::Bad => BAD,
            Word::Unknown(raw) => raw,
        }
    }
}

/// What a slot's word says.
///
/// # Examples
///
/// ```
/// use kernel::mm::swap_table::{Flags, Layout, Shadow, Word};
///
/// type SlotWord = Word<20>;
///
/// // How many users the slot has besides the swap cache.
/// assert_eq!(SlotWord::Null.count(), Some(0));
/// assert_eq!(SlotWord::Shadow(Shadow::NONE, Flags::NONE).count(), Some(0));
/// assert_eq!(SlotWord::Bad.count(), None);
/// assert_eq!(SlotWord::Unknown(0b100).count(), None);
///
/// // The fewer bits the number of a page frame has, the more are left.
/// assert!(Layout::<20>::HAS_ZERO_MARK);
/// assert!(!Layout::<{ usize::BITS - 4 }>::HAS_ZERO_MARK);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<const PFN_BITS: u32> {
    /// The slot is free.
    Null,
    /// The slot is in use; its page, if it has one, is on the device or in zswap only. The shadow
    /// says when it was evicted, if anybody has said.
    Shadow(Shadow, Flags<PFN_BITS>),
    /// The slot's page is in this folio, which is in the swap cache.
    Folio(Pfn, Flags<PFN_BITS>),
    /// The slot is not for use.
    Bad,
    /// Nothing that C writes.
    Unknown(usize),
}

impl<const PFN_BITS: u32> Word<PFN_BITS> {
    /// How many users the slot has besides the swap cache, if this can be said: up to a maximum,
    /// where it is continued elsewhere.
    ///
    /// None for what isn't for use. (C takes the bits of a bad slot for a count. That is why
    /// readahead over a bad slot gives it a folio there, and not here: see docs/upstream.)
    #[inline]
    pub const fn count(self) -> Option<u8> {
        match self {
            Word::Null => Some(0),
            Word::Shadow(_, flags) | Word::Folio(_, flags) => Some(flags.count()),
            Word::Bad | Word::Unknown(_) => None,
        }
    }
}

/// A slot's count and, where the layout has room, its zero mark.
///
/// # Invariants
///
/// No more than `FLAGS_BITS` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags<const PFN_BITS: u32>(u8);

impl<const PFN_BITS: u32> Flags<PFN_BITS> {
    /// No user, no mark.
    pub const NONE: Self = Self(0);

    /// How many users the slot has besides the swap cache. Mirrors `__swp_tb_get_count()`.
    #[inline]
    pub const fn count(self) -> u8 {
        self.0 >> Layout::<PFN_BITS>::COUNT_SHIFT
    }

    /// Whether the slot's page is all zeroes, of which the device and zswap know nothing; if the
    /// layout has the mark.
    #[inline]
    pub const fn is_zero(self) -> bool {
        Layout::<PFN_BITS>::HAS_ZERO_MARK && self.0 & 1 != 0
    }
}

/// When a page was evicted, as the workingset code has said it; or that nobody has said.
///
/// Not a folio: nothing can be read from it, and it is no address.
///
/// # Invariants
///
/// Has the mark of a shadow, and no bit of the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shadow(usize);

impl Shadow {
    /// Nobody has said.
    pub const NONE: Self = Self(SHADOW_MARK);

    /// From C's `void *shadow`: null, or a value as the XArray has them.
    ///
    /// Mirrors `shadow_to_swp_tb()`. Bits where the flags are get lost.
    ///
    /// # Safety
    ///
    /// If it isn't null, `ptr` must come from the workingset code, which will take it back and use
    /// what it finds in it unchecked.
    #[inline]
    pub unsafe fn from_ptr(ptr: *const crate::ffi::c_void) -> Self {
        crate::vm_warn_on_once!(!ptr.is_null() && ptr.addr() & SHADOW_MARK == 0);
        crate::vm_warn_on_once!(ptr.addr() & Native::FLAGS_MASK != 0);
        // INVARIANT: As said.
        Self((ptr.addr() | SHADOW_MARK) & !Native::FLAGS_MASK)
    }

    /// For C: what [`Shadow::from_ptr`] takes.
    #[inline]
    pub fn as_ptr(self) -> *mut crate::ffi::c_void {
        core::ptr::without_provenance_mut(self.0)
    }
}

/// The number of a page frame: of a folio's first page.
///
/// Not a reference: the folio may be gone. See [`crate::mm::swap_cache`] for how to get one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pfn(usize);

impl Pfn {
    /// From C's `folio_pfn()`.
    #[inline]
    pub(crate) const fn new(pfn: usize) -> Self {
        Self(pfn)
    }

    /// The number.
    #[inline]
    pub const fn get(self) -> usize {
        self.0
    }
}
