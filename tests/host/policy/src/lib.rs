// SPDX-License-Identifier: GPL-2.0-or-later

//! The policy modules that don't depend on the kernel: the same files that the kernel builds.

#![no_std]
#![allow(unreachable_pub, dead_code)]

#[path = "../../../../samples/rust/zswap_rs/age.rs"]
mod age;
#[path = "../../../../samples/rust/zswap_rs/limits.rs"]
mod limits;
#[path = "../../../../samples/rust/zswap_rs/runs.rs"]
mod runs;
#[path = "../../../../rust/kernel/mm/swap_table.rs"]
mod swap_table;
#[path = "../../../../rust/kernel/mm/swapops.rs"]
mod swapops;
#[path = "../../../../samples/rust/zswap_rs/tag.rs"]
mod tag;
#[path = "../../../../samples/rust/swap_cache_rs/window.rs"]
mod window;

// What these files use of the kernel.
#[macro_export]
#[doc(hidden)]
macro_rules! vm_warn_on_once {
    ($cond:expr) => {
        assert!(!$cond)
    };
}
mod bindings {
    pub(crate) const SWAP_TABLE_PFN_BITS: usize = 40;
    pub(crate) const SWAP_TABLE_NULL: usize = 0;
    pub(crate) const SWAP_TABLE_MARK_BITS: usize = 2;
    pub(crate) const SWAP_TABLE_MARK_MASK: usize = 0b11;
    pub(crate) const SWAP_TABLE_FOLIO_MARK: usize = 0b10;
    pub(crate) const SWAP_TABLE_SHADOW_MARK: usize = 0b1;
    pub(crate) const SWAP_TABLE_NOT_BAD: usize = 0b111;
    pub(crate) const SWAP_TABLE_HAS_ZERO: usize = 1;
    pub(crate) const SWAP_TABLE_ZERO: usize = 1 << 59;
    pub(crate) const SWAP_TABLE_NOT_FLAGS: usize = usize::MAX >> 5;
    pub(crate) const SWAP_TABLE_FLAGS_SHIFT: usize = 59;
    pub(crate) const SWAP_TABLE_NOT_COUNT: usize = usize::MAX >> 4;
    pub(crate) const SWAP_TABLE_COUNT_SHIFT: usize = 60;
    pub(crate) const SWAP_TABLE_COUNT_MAX: usize = 15;
    pub(crate) const SWAP_TABLE_COUNT_MIN_BITS: usize = 2;

    // In a kernel that has all the kinds of entries for which C takes numbers away.
    pub(crate) const MAX_SWAPFILES: u32 = 24;

    #[allow(non_camel_case_types)]
    #[derive(Clone, Copy)]
    pub struct swp_entry_t {
        pub(crate) val: usize,
    }

    const SWP_TYPE_SHIFT: u32 = 58;

    pub(crate) unsafe fn swp_entry(device: usize, offset: usize) -> swp_entry_t {
        let offset = offset & ((1 << SWP_TYPE_SHIFT) - 1);
        swp_entry_t {
            val: device << SWP_TYPE_SHIFT | offset,
        }
    }

    pub(crate) unsafe fn swp_type(entry: swp_entry_t) -> u32 {
        (entry.val >> SWP_TYPE_SHIFT) as u32
    }

    pub(crate) unsafe fn swp_offset(entry: swp_entry_t) -> usize {
        entry.val & ((1 << SWP_TYPE_SHIFT) - 1)
    }
}
pub mod mm {
    pub(crate) use crate::swapops;

    pub mod zsmalloc {
        // Beside the owner's number and a length.
        pub const TAG_BITS: u32 = 64 - 8 - 16;
    }
}
mod ffi {
    pub(crate) use core::ffi::c_void;
}
pub mod page {
    pub const PAGE_SHIFT: usize = 12;
}
extern crate self as kernel;

pub mod api {
    //! Makes what is `pub(crate)` in the kernel available to tests.

    pub use crate::mm::zsmalloc::TAG_BITS;
    use crate::{
        age, bindings,
        limits::{Fullness, Limits},
        mm::swapops::SwapEntry,
        runs::Runs,
        swap_table::{Layout, Word},
        tag::Tag,
        window::{self, Noted},
    };
    use core::ops::Range;

    /// `MAX_SWAPFILES`
    pub const MAX_DEVICES: usize = bindings::MAX_SWAPFILES as usize;

    /// `Tag::new`, for the slot of a device below `MAX_DEVICES`.
    pub fn new_tag(device: usize, offset: usize) -> u64 {
        assert!(device < MAX_DEVICES);
        // SAFETY: Arithmetic, and just checked.
        let swap = unsafe { SwapEntry::from_raw(bindings::swp_entry(device, offset)) };
        Tag::new(swap).bits()
    }

    /// What a tag says: the slot's device and offset, `referenced`, `counted`.
    pub fn said_by_tag(bits: u64) -> (usize, usize, bool, bool) {
        let tag = Tag::from_bits(bits);
        let swap = tag.swap();
        (
            swap.device(),
            swap.offset(),
            tag.referenced(),
            tag.counted(),
        )
    }

    /// `Tag::without_second_chance`
    pub fn without_second_chance(bits: u64) -> u64 {
        Tag::from_bits(bits).without_second_chance().bits()
    }

    /// `Tag::without_count`
    pub fn without_count(bits: u64) -> u64 {
        Tag::from_bits(bits).without_count().bits()
    }

    /// A decoded swap-table entry: kind, value, count, zero mark; in the format of
    /// tests/swap_table.c. The value is a page frame number or a shadow.
    /// For each page of a folio, of which some compress, whether it is tried.
    pub fn tried(enabled: bool, compress: &[bool]) -> impl Iterator<Item = bool> + '_ {
        let mut runs = Runs::new(enabled);
        compress.iter().map(move |&compresses| {
            let tries = runs.try_next();
            if tries {
                runs.tried(compresses);
            }
            tries
        })
    }

    pub fn decode<const PFN_BITS: u32>(raw: usize) -> (&'static str, usize, u8, bool) {
        match Layout::<PFN_BITS>::decode(raw) {
            Word::Null => ("null", 0, 0, false),
            Word::Shadow(shadow, flags) => (
                "shadow",
                shadow.as_ptr().addr(),
                flags.count(),
                flags.is_zero(),
            ),
            Word::Folio(pfn, flags) => ("folio", pfn.get(), flags.count(), flags.is_zero()),
            Word::Bad => ("bad", 0, 0, false),
            Word::Unknown(_) => ("unknown", 0, 0, false),
        }
    }

    /// The same entry, decoded and encoded again.
    pub fn recode<const PFN_BITS: u32>(raw: usize) -> usize {
        Layout::<PFN_BITS>::encode(Layout::<PFN_BITS>::decode(raw))
    }

    /// `window::nr_pages`
    pub fn nr_pages(prev: usize, here: usize, hits: u32, max: u32, last: u32) -> u32 {
        window::nr_pages(prev, here, hits, max, last)
    }

    /// `window::around`
    pub fn around(
        here: usize,
        prev: usize,
        pages: u32,
        vma: Range<usize>,
        table: usize,
    ) -> Range<usize> {
        window::around(here, prev, pages, vma, table)
    }

    /// `Noted`: unpacked, with or without a hit at an address, and packed again.
    pub fn noted_hit(word: usize, address: usize, hit: bool) -> usize {
        Noted::unpack(word).with_hit(address, hit).pack()
    }

    /// `age::spare`: the remaining entries, and the swap-ins that are not offset yet.
    pub fn spare(freeable: usize, swapins: usize) -> (usize, usize) {
        age::spare(freeable, swapins)
    }

    /// `age::scale`: the freeable entries.
    pub fn scale(freeable: usize, backing: usize, stored: usize) -> usize {
        age::scale(freeable, backing, stored)
    }

    /// `Limits::check`: whether zswap is full, and whether this check hit the limit.
    pub fn check(max: u32, accept: u32, was_full: bool, pool: usize, ram: usize) -> (bool, bool) {
        let limits = Limits {
            max_pool_percent: max,
            accept_threshold_percent: accept,
        };
        let fullness = limits.check(was_full, pool, ram);
        (fullness != Fullness::Accepting, fullness == Fullness::Hit)
    }

    /// `Limits::max_pages` and `Limits::accept_pages`.
    pub fn pages(max: u32, accept: u32, ram: usize) -> (usize, usize) {
        let limits = Limits {
            max_pool_percent: max,
            accept_threshold_percent: accept,
        };
        (limits.max_pages(ram), limits.accept_pages(ram))
    }
}
