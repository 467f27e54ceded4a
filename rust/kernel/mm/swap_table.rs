// SPDX-License-Identifier: GPL-2.0

//! Swap-table entries: the state of a slot, in a machine word.
//!
//! | entry   | bits, from the top                       | the slot                          |
//! |---------|------------------------------------------|-----------------------------------|
//! | null    | all 0                                    | is free                           |
//! | shadow  | count, zero bit, shadow, `1`             | is in use, not in the swap cache  |
//! | folio   | count, zero bit, page frame number, `10` | is in use, in the swap cache      |
//! | bad     | all 1, then `1000`                       | isn't usable                      |
//!
//! The zero bit is the slot's zeromap bit, in layouts that have room for it. Bad are the slot of
//! the device's header, the slots of bad pages, and those beyond the device's end.
//!
//! C writes and reads the same entries, in `mm/swapfile.c` and `mm/page_io.c`. Decoding is
//! therefore total: a pattern that isn't in this table becomes a [`SwapTableEntry::Unknown`], which
//! no operation accepts.
//!
//! C header: [`mm/swap_table.h`](srctree/mm/swap_table.h)

use crate::bindings;

/// The layout of an entry's bits, which depends on the width of a page frame number: `PFN_BITS`
/// (`SWAP_CACHE_PFN_BITS`). Computed at compile time.
#[derive(Clone, Copy)]
pub struct Layout<const PFN_BITS: u32>;

/// The layout of this kernel.
pub type KernelLayout = Layout<KERNEL_PFN_BITS>;

const KERNEL_PFN_BITS: u32 = bindings::SWAP_TABLE_PFN_BITS as u32;

const WORD_BITS: u32 = usize::BITS;
/// `SWAP_CACHE_PFN_MARK_BITS`
const MARK_BITS: u32 = bindings::SWAP_TABLE_MARK_BITS as u32;
/// `SWP_TB_PFN_MARK`
const FOLIO_MARK: usize = bindings::SWAP_TABLE_FOLIO_MARK;
/// `SWP_TB_SHADOW_MARK`, which is also the mark of an XArray value entry.
const SHADOW_MARK: usize = bindings::SWAP_TABLE_SHADOW_MARK;
/// `SWP_TB_BAD`
const BAD: usize = !bindings::SWAP_TABLE_NOT_BAD;
/// `SWAP_COUNT_MIN_BITS`
const COUNT_MIN_BITS: u32 = bindings::SWAP_TABLE_COUNT_MIN_BITS as u32;

// Fails to compile if the layout computed here differs from the one in mm/swap_table.h.
const _: () = {
    let flags_shift = KernelLayout::FLAGS_SHIFT as usize;
    let count_shift = flags_shift + KernelLayout::COUNT_SHIFT as usize;
    assert!(bindings::SWAP_TABLE_NULL == 0);
    // `decode()` tests these two in this order; the first is `xa_is_value()`.
    assert!(SHADOW_MARK == 0b1);
    assert!(FOLIO_MARK & SHADOW_MARK == 0 && FOLIO_MARK != 0 && FOLIO_MARK >> MARK_BITS == 0);
    assert!(bindings::SWAP_TABLE_MARK_MASK == (1 << MARK_BITS) - 1);
    assert!(BAD & SHADOW_MARK == 0 && BAD & bindings::SWAP_TABLE_MARK_MASK != FOLIO_MARK);
    assert!(KernelLayout::HAS_ZERO_MARK == (bindings::SWAP_TABLE_HAS_ZERO != 0));
    assert!(!KernelLayout::HAS_ZERO_MARK || bindings::SWAP_TABLE_ZERO == 1 << flags_shift);
    assert!(KernelLayout::FLAGS_MASK == !bindings::SWAP_TABLE_NOT_FLAGS);
    assert!(flags_shift == bindings::SWAP_TABLE_FLAGS_SHIFT);
    assert!(usize::MAX << count_shift == !bindings::SWAP_TABLE_NOT_COUNT);
    assert!(count_shift == bindings::SWAP_TABLE_COUNT_SHIFT);
    assert!(usize::MAX >> count_shift == bindings::SWAP_TABLE_COUNT_MAX);
};

impl<const PFN_BITS: u32> Layout<PFN_BITS> {
    /// Whether an entry has room for the zeromap bit: `SWAP_TABLE_HAS_ZEROFLAG`. If not, each
    /// cluster has a bitmap.
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
    /// The shift of the count within the flags. The zeromap bit, if the layout has it, is their
    /// lowest bit.
    const COUNT_SHIFT: u32 = Self::HAS_ZERO_MARK as u32;

    /// Decodes an entry.
    #[inline]
    pub(crate) const fn decode(raw: usize) -> SwapTableEntry<PFN_BITS> {
        // INVARIANT: After the shift, `FLAGS_BITS` bits remain.
        let flags = Flags((raw >> Self::FLAGS_SHIFT) as u8);
        let value = raw & !Self::FLAGS_MASK;
        if raw == 0 {
            SwapTableEntry::Null
        } else if raw & SHADOW_MARK != 0 {
            // INVARIANT: The mark was tested, and the flags are masked off.
            SwapTableEntry::Shadow(Shadow(value), flags)
        } else if raw & ((1 << MARK_BITS) - 1) == FOLIO_MARK {
            SwapTableEntry::Folio(Pfn(value >> MARK_BITS), flags)
        } else if raw == BAD {
            SwapTableEntry::Bad
        } else {
            SwapTableEntry::Unknown(raw)
        }
    }

    /// Encodes an entry.
    #[inline]
    pub(crate) const fn encode(entry: SwapTableEntry<PFN_BITS>) -> usize {
        match entry {
            SwapTableEntry::Null => 0,
            SwapTableEntry::Shadow(shadow, flags) => {
                shadow.0 | (flags.0 as usize) << Self::FLAGS_SHIFT
            }
            SwapTableEntry::Folio(pfn, flags) => {
                pfn.0 << MARK_BITS | FOLIO_MARK | (flags.0 as usize) << Self::FLAGS_SHIFT
            }
            SwapTableEntry::Bad => BAD,
            SwapTableEntry::Unknown(raw) => raw,
        }
    }
}

/// A decoded swap-table entry, by default in the layout of this kernel.
///
/// # Examples
///
/// ```
/// use kernel::mm::swap_table::{Flags, Layout, Shadow, SwapTableEntry};
///
/// type Entry = SwapTableEntry<20>;
///
/// // The slot's number of users besides the swap cache.
/// assert_eq!(Entry::Null.count(), Some(0));
/// assert_eq!(Entry::Shadow(Shadow::NONE, Flags::NONE).count(), Some(0));
/// assert_eq!(Entry::Bad.count(), None);
/// assert_eq!(Entry::Unknown(0b100).count(), None);
///
/// // The narrower a page frame number, the more bits are left.
/// assert!(Layout::<20>::HAS_ZERO_MARK);
/// assert!(!Layout::<{ usize::BITS - 4 }>::HAS_ZERO_MARK);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapTableEntry<const PFN_BITS: u32 = KERNEL_PFN_BITS> {
    /// The slot is free.
    Null,
    /// The slot is in use, and has no folio: its page is on the device or in zswap, or is all
    /// zeroes. The shadow records when the page was evicted, or is [`Shadow::NONE`].
    Shadow(Shadow, Flags<PFN_BITS>),
    /// The slot's page is in this folio, which is in the swap cache.
    Folio(Pfn, Flags<PFN_BITS>),
    /// The slot isn't usable: it is the slot of the header or of a bad page, or beyond the end.
    Bad,
    /// A pattern that C never writes.
    Unknown(usize),
}

impl<const PFN_BITS: u32> SwapTableEntry<PFN_BITS> {
    /// The slot's number of users besides the swap cache, up to `SWP_TB_COUNT_MAX`; C stores the
    /// excess in a table of the cluster.
    ///
    /// `None` for a bad slot or an unknown pattern. (C interprets the bits of a bad slot as a
    /// count, so readahead in C adds a folio for a bad slot, and readahead in Rust doesn't.)
    #[inline]
    pub const fn count(self) -> Option<u8> {
        match self {
            SwapTableEntry::Null => Some(0),
            SwapTableEntry::Shadow(_, flags) | SwapTableEntry::Folio(_, flags) => {
                Some(flags.count())
            }
            SwapTableEntry::Bad | SwapTableEntry::Unknown(_) => None,
        }
    }
}

/// A slot's count and, where the layout has room, its zeromap bit.
///
/// # Invariants
///
/// `.0` has no bit set above the lowest `FLAGS_BITS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags<const PFN_BITS: u32 = KERNEL_PFN_BITS>(u8);

impl<const PFN_BITS: u32> Flags<PFN_BITS> {
    /// No user, and the zeromap bit clear.
    pub const NONE: Self = Self(0);

    /// The slot's number of users besides the swap cache. Mirrors `__swp_tb_get_count()`.
    #[inline]
    pub const fn count(self) -> u8 {
        self.0 >> Layout::<PFN_BITS>::COUNT_SHIFT
    }

    /// Whether the slot's zeromap bit is set: its page is all zeroes, and stored neither on the
    /// device nor in zswap. False if the layout has no room for the bit.
    #[inline]
    pub const fn is_zero(self) -> bool {
        Layout::<PFN_BITS>::HAS_ZERO_MARK && self.0 & 1 != 0
    }
}

/// A shadow: when a page was evicted, as recorded by the workingset code; or none.
///
/// Not a folio and not an address: only the workingset code can interpret it.
///
/// # Invariants
///
/// `.0` has the mark of a shadow (`SWP_TB_SHADOW_MARK`), and no bit of the flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shadow(usize);

impl Shadow {
    /// No shadow was recorded.
    pub const NONE: Self = Self(SHADOW_MARK);

    /// Converts from `void *shadow` in C: null, or an XArray value entry.
    ///
    /// Clears bits at the position of the flags. Mirrors `shadow_to_swp_tb()`.
    ///
    /// # Safety
    ///
    /// If it isn't null, `ptr` must come from the workingset code, which later interprets it
    /// without a check.
    #[inline]
    pub unsafe fn from_ptr(ptr: *const crate::ffi::c_void) -> Self {
        crate::vm_warn_on_once!(!ptr.is_null() && ptr.addr() & SHADOW_MARK == 0);
        crate::vm_warn_on_once!(ptr.addr() & KernelLayout::FLAGS_MASK != 0);
        // INVARIANT: The mark is set and the flags are masked off here.
        Self((ptr.addr() | SHADOW_MARK) & !KernelLayout::FLAGS_MASK)
    }

    /// Converts to `void *shadow` in C, as `swp_tb_to_shadow()`: never null.
    #[inline]
    pub fn as_ptr(self) -> *mut crate::ffi::c_void {
        core::ptr::without_provenance_mut(self.0)
    }
}

/// The page frame number of a folio's first page.
///
/// Not a reference: the folio may be freed. [`Slot::folio`] takes a reference.
///
/// [`Slot::folio`]: super::swap_cluster::Slot::folio
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pfn(usize);

impl Pfn {
    /// Converts from C. Mirrors `folio_pfn()`.
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
