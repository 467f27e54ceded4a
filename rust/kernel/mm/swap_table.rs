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

/// `SWP_TB_SHADOW_MARK`, which is also the mark of an XArray value entry.
const SHADOW_MARK: usize = bindings::SWAP_TABLE_SHADOW_MARK;
/// `SWP_TB_PFN_MARK`
const FOLIO_MARK: usize = bindings::SWAP_TABLE_FOLIO_MARK;
/// `SWP_TB_PFN_MARK_MASK`
const MARK_MASK: usize = bindings::SWAP_TABLE_MARK_MASK;
/// `SWP_TB_BAD`
const BAD: usize = !bindings::SWAP_TABLE_NOT_BAD;
/// `~SWP_TB_FLAGS_MASK`
const NOT_FLAGS: usize = bindings::SWAP_TABLE_NOT_FLAGS;
/// `SWP_TB_FLAGS_SHIFT`
const FLAGS_SHIFT: usize = bindings::SWAP_TABLE_FLAGS_SHIFT;
/// Whether an entry has room for the zeromap bit, the lowest of the flags:
/// `SWAP_TABLE_HAS_ZEROFLAG`. If not, each cluster has a bitmap.
pub(super) const HAS_ZERO_MARK: bool = bindings::SWAP_TABLE_HAS_ZERO != 0;

// What `decode()` and `Flags` rely on; fails to compile if C's header differs.
const _: () = {
    assert!(bindings::SWAP_TABLE_NULL == 0);
    assert!(FOLIO_MARK & SHADOW_MARK == 0 && FOLIO_MARK & !MARK_MASK == 0 && FOLIO_MARK != 0);
    assert!(BAD & SHADOW_MARK == 0 && BAD & MARK_MASK != FOLIO_MARK);
    assert!(NOT_FLAGS == usize::MAX >> (usize::BITS as usize - FLAGS_SHIFT));
    assert!(bindings::SWAP_TABLE_COUNT_SHIFT == FLAGS_SHIFT + HAS_ZERO_MARK as usize);
    assert!(!HAS_ZERO_MARK || bindings::SWAP_TABLE_ZERO == 1 << FLAGS_SHIFT);
};

/// A decoded swap-table entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapTableEntry {
    /// The slot is free.
    Null,
    /// The slot is in use, and has no folio: its page is on the device or in zswap, or is all
    /// zeroes. The shadow records when the page was evicted, or is [`Shadow::NONE`].
    Shadow(Shadow, Flags),
    /// The slot's page is in this folio, which is in the swap cache.
    Folio(Pfn, Flags),
    /// The slot isn't usable: it is the slot of the header or of a bad page, or beyond the end.
    ///
    /// (C interprets the bits of a bad slot as a count, so readahead in C adds a folio for a bad
    /// slot, and readahead in Rust doesn't.)
    Bad,
    /// A pattern that C never writes.
    Unknown(usize),
}

impl SwapTableEntry {
    /// Decodes an entry.
    #[inline]
    pub(crate) const fn decode(raw: usize) -> Self {
        // INVARIANT: Only the flags remain after the shift.
        let flags = Flags((raw >> FLAGS_SHIFT) as u8);
        let value = raw & NOT_FLAGS;
        if raw == 0 {
            Self::Null
        } else if raw & SHADOW_MARK != 0 {
            // INVARIANT: The mark was tested, and the flags are masked off.
            Self::Shadow(Shadow(value), flags)
        } else if raw & MARK_MASK == FOLIO_MARK {
            Self::Folio(Pfn(value >> bindings::SWAP_TABLE_MARK_BITS), flags)
        } else if raw == BAD {
            Self::Bad
        } else {
            Self::Unknown(raw)
        }
    }

    /// Encodes an entry.
    #[inline]
    pub(crate) const fn encode(self) -> usize {
        let (value, flags) = match self {
            Self::Null => return 0,
            Self::Shadow(shadow, flags) => (shadow.0, flags),
            Self::Folio(pfn, flags) => {
                (pfn.0 << bindings::SWAP_TABLE_MARK_BITS | FOLIO_MARK, flags)
            }
            Self::Bad => return BAD,
            Self::Unknown(raw) => return raw,
        };
        value | (flags.0 as usize) << FLAGS_SHIFT
    }
}

/// A slot's count and, where the layout has room, its zeromap bit.
///
/// # Invariants
///
/// `.0` has only bits of `SWP_TB_FLAGS_MASK`, shifted down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// No user, and the zeromap bit clear.
    pub const NONE: Self = Self(0);

    /// The slot's number of users besides the swap cache, up to `SWP_TB_COUNT_MAX`; C stores the
    /// excess in a table of the cluster. Mirrors `__swp_tb_get_count()`.
    #[inline]
    pub const fn count(self) -> u8 {
        self.0 >> HAS_ZERO_MARK as u8
    }

    /// Whether the slot's zeromap bit is set: its page is all zeroes, and stored neither on the
    /// device nor in zswap. False if the layout has no room for the bit.
    #[inline]
    pub const fn is_zero(self) -> bool {
        HAS_ZERO_MARK && self.0 & 1 != 0
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
        crate::vm_warn_on_once!(ptr.addr() & !NOT_FLAGS != 0);
        // INVARIANT: The mark is set and the flags are masked off here.
        Self((ptr.addr() | SHADOW_MARK) & NOT_FLAGS)
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
