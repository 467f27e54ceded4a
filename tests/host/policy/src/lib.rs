// SPDX-License-Identifier: GPL-2.0-or-later

//! The policy modules that don't depend on the kernel: the same files that the kernel builds.

#![no_std]
#![allow(unreachable_pub, dead_code)]

#[path = "../../../../samples/rust/zswap_rs/age.rs"]
mod age;
#[path = "../../../../samples/rust/zswap_rs/core/entry_word.rs"]
mod entry_word;
#[path = "../../../../samples/rust/swap_cache_rs/large.rs"]
mod large;
#[path = "../../../../samples/rust/zswap_rs/limits.rs"]
mod limits;
#[path = "../../../../samples/rust/zswap_rs/runs.rs"]
mod runs;
#[path = "../../../../rust/kernel/mm/swapops.rs"]
mod swapops;
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
    // In a kernel that has all the kinds of entries for which C takes numbers away.
    pub(crate) const MAX_SWAPFILES: u32 = 24;

    #[allow(non_camel_case_types)]
    #[derive(Clone, Copy)]
    pub struct swp_entry_t {
        pub(crate) val: usize,
    }

    pub(crate) const SWP_TYPE_SHIFT: u32 = 58;
}
/// Swap-table entries in the layout of kernels with page frame numbers of `$bits` bits.
macro_rules! swap_tables {
    ($($name:ident $bits:literal)*) => {$(
        mod $name {
            /// The constants that C derives from `$bits`.
            mod bindings {
                const FLAGS_BITS: usize = if $bits > 57 { 62 - $bits } else { 5 };
                pub(crate) const SWAP_TABLE_NULL: usize = 0;
                pub(crate) const SWAP_TABLE_MARK_BITS: usize = 2;
                pub(crate) const SWAP_TABLE_MARK_MASK: usize = 0b11;
                pub(crate) const SWAP_TABLE_FOLIO_MARK: usize = 0b10;
                pub(crate) const SWAP_TABLE_SHADOW_MARK: usize = 0b1;
                pub(crate) const SWAP_TABLE_NOT_BAD: usize = 0b111;
                pub(crate) const SWAP_TABLE_HAS_ZERO: usize = (62 - $bits > 2) as usize;
                pub(crate) const SWAP_TABLE_FLAGS_SHIFT: usize = 64 - FLAGS_BITS;
                pub(crate) const SWAP_TABLE_NOT_FLAGS: usize = usize::MAX >> FLAGS_BITS;
                pub(crate) const SWAP_TABLE_ZERO: usize = 1 << SWAP_TABLE_FLAGS_SHIFT;
                pub(crate) const SWAP_TABLE_COUNT_SHIFT: usize =
                    SWAP_TABLE_FLAGS_SHIFT + SWAP_TABLE_HAS_ZERO;
            }
            // As it is, except for the bindings (build.rs).
            include!(concat!(env!("OUT_DIR"), "/swap_table.rs"));

            /// A decoded entry: kind, value, count, zero mark; in the format of tests/swap_table.c.
            /// The value is a page frame number or a shadow. And the entry, encoded again.
            pub(crate) fn decoded(raw: usize) -> (&'static str, usize, u8, bool, usize) {
                let entry = SwapTableEntry::decode(raw);
                let (kind, value, flags) = match entry {
                    SwapTableEntry::Null => ("null", 0, Flags::NONE),
                    SwapTableEntry::Shadow(shadow, flags) => {
                        ("shadow", shadow.as_ptr().addr(), flags)
                    }
                    SwapTableEntry::Folio(pfn, flags) => ("folio", pfn.get(), flags),
                    SwapTableEntry::Bad => ("bad", 0, Flags::NONE),
                    SwapTableEntry::Unknown(_) => ("unknown", 0, Flags::NONE),
                };
                (kind, value, flags.count(), flags.is_zero(), entry.encode())
            }
        }
    )*

        /// `SwapTableEntry`, in the layout with so many bits for page frame numbers.
        pub(crate) fn decoded(pfn_bits: u32, raw: usize) -> (&'static str, usize, u8, bool, usize) {
            match pfn_bits {
                $($bits => $name::decoded(raw),)*
                _ => panic!("no such layout"),
            }
        }
    };
}
swap_tables! { pfn_24 24 pfn_40 40 pfn_57 57 pfn_58 58 pfn_59 59 pfn_60 60 }
pub mod mm {
    pub(crate) use crate::swapops;

    // The facts that `large.rs` asks for: those of a test.
    pub mod fault {
        use crate::facts::{ask, facts, Asked, Facts};
        pub use crate::facts::{AccessPattern, TABLE_SPAN};
        use core::ops::Range;

        #[derive(Clone, Copy)]
        pub struct Fault<'a>(pub(crate) &'a Facts);
        #[derive(Clone, Copy)]
        pub struct Vma<'a>(&'a Facts);

        impl<'a> Fault<'a> {
            pub fn address(self) -> usize {
                self.0.address
            }
            pub fn vma(self) -> Vma<'a> {
                Vma(self.0)
            }
            pub fn is_exclusive(self) -> bool {
                ask(Asked::Exclusive);
                self.0.exclusive
            }
            pub fn allowable_orders(self, orders: usize) -> usize {
                if self.0.anonymous {
                    orders & self.0.allowable
                } else {
                    0
                }
            }
            pub fn reach(self) -> Range<usize> {
                let (start, vma) = (self.0.address & !(TABLE_SPAN - 1), &self.0.vma);
                start.max(vma.start)..(start + TABLE_SPAN).min(vma.end)
            }
            pub fn has_young(self, start: usize, nr: usize, least: usize) -> bool {
                ask(Asked::Young);
                self.0.count_young(start, nr) >= least
            }
            pub fn has_young_beside(self, order: u32) -> bool {
                ask(Asked::Beside);
                self.0.has_young_beside(order)
            }
        }

        pub fn memcg_room(_: Option<Fault<'_>>) -> usize {
            ask(Asked::Room);
            facts().room
        }

        impl Vma<'_> {
            pub fn range(self) -> Range<usize> {
                self.0.vma.clone()
            }
            pub fn is_anonymous(self) -> bool {
                self.0.anonymous
            }
            pub fn access_pattern(self) -> AccessPattern {
                self.0.pattern
            }
        }

        pub fn access_bits_are_exact() -> bool {
            facts().exact
        }
    }
    pub mod swap_cluster {
        use crate::facts::{ask, facts, Asked, Facts};

        #[derive(Clone, Copy)]
        pub struct Slot<'a>(pub(crate) &'a Facts);

        impl Slot<'_> {
            pub fn offset(self) -> usize {
                self.0.offset
            }
            pub fn is_synchronous(self) -> bool {
                self.0.synchronous
            }
            pub fn is_writable(self) -> bool {
                self.0.writable
            }
            pub fn seems_zero(self) -> bool {
                ask(Asked::Zswap);
                self.0.zero
            }
            pub fn seems_in_zswap(self) -> bool {
                ask(Asked::Zswap);
                self.0.in_zswap
            }
        }

        pub fn zswap_never_enabled() -> bool {
            facts().never_enabled
        }
        pub fn zswap_large_swapin_enabled() -> bool {
            facts().enabled
        }
        pub fn admits_all() -> bool {
            false
        }
    }
}
mod facts {
    extern crate std;

    use core::{cell::RefCell, ops::Range};

    /// `PMD_SIZE`
    pub const TABLE_SPAN: usize = 1 << 21;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum AccessPattern {
        Normal,
        Random,
        Sequential,
    }

    /// A fact that isn't free of cost.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Asked {
        Exclusive,
        Beside,
        Room,
        Young,
        Zswap,
    }

    /// All that the choice of orders depends on.
    #[derive(Clone, Debug)]
    pub struct Facts {
        pub never_enabled: bool,
        pub enabled: bool,
        pub synchronous: bool,
        pub writable: bool,
        pub zero: bool,
        pub in_zswap: bool,
        pub offset: usize,
        pub address: usize,
        pub vma: Range<usize>,
        pub exclusive: bool,
        pub anonymous: bool,
        pub allowable: usize,
        pub pattern: AccessPattern,
        pub exact: bool,
        /// The young pages of the page table of `address`.
        pub young: [bool; TABLE_SPAN >> 12],
        pub room: usize,
    }

    impl Facts {
        pub fn has_young_beside(&self, order: u32) -> bool {
            let block = (self.address % TABLE_SPAN >> 12) & !((1 << order) - 1);
            let at = |page: Option<usize>| page.is_some_and(|it| self.young.get(it) == Some(&true));
            at(block.checked_sub(1)) || at(Some(block + (1 << order)))
        }

        /// Fails if a page is in another page table.
        pub fn count_young(&self, start: usize, nr: usize) -> usize {
            let first = start.wrapping_sub(self.address & !(TABLE_SPAN - 1)) >> 12;
            self.young[first..first + nr]
                .iter()
                .filter(|it| **it)
                .count()
        }
    }

    std::thread_local! {
        static NOW: RefCell<(Option<Facts>, std::vec::Vec<Asked>)> = const {
            RefCell::new((None, std::vec::Vec::new()))
        };
    }

    pub fn ask(fact: Asked) {
        NOW.with_borrow_mut(|now| now.1.push(fact));
    }

    pub fn facts() -> Facts {
        NOW.with_borrow(|now| now.0.clone()).unwrap()
    }

    /// Calls `f` with these facts as the kernel's. Returns what it has asked, too.
    pub fn with<R>(facts: &Facts, f: impl FnOnce() -> R) -> (R, std::vec::Vec<Asked>) {
        NOW.set((Some(facts.clone()), std::vec::Vec::new()));
        let result = f();
        (result, NOW.take().1)
    }
}
mod ffi {
    pub(crate) use core::ffi::c_void;
}
pub mod page {
    pub const PAGE_SHIFT: usize = 12;
    pub const PAGE_SIZE: usize = 1 << PAGE_SHIFT;
}
extern crate self as kernel;

pub mod api {
    //! Makes what is `pub(crate)` in the kernel available to tests.

    extern crate std;

    use crate::{
        age, bindings,
        entry_word::EntryWord,
        facts, large,
        limits::{Fullness, Limits},
        mm::{fault::Fault, swap_cluster::Slot, swapops::SwapEntry},
        runs::SkipIncompressible,
        window::{self, ReadaheadState},
    };
    pub use crate::{
        facts::{AccessPattern, Asked, Facts, TABLE_SPAN},
        page::PAGE_SIZE,
    };
    use core::ops::Range;

    /// `MAX_SWAPFILES`
    pub const MAX_DEVICES: usize = bindings::MAX_SWAPFILES as usize;

    /// The parts of an `EntryWord`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Parts {
        pub pool_id: u8,
        pub len: usize,
        pub device: usize,
        pub offset: usize,
        pub referenced: bool,
    }

    /// `EntryWord::new`, for the slot of a device below `MAX_DEVICES`.
    pub fn new_word(pool_id: u8, len: usize, device: usize, offset: usize) -> u64 {
        let slot = SwapEntry::new(device, offset).unwrap();
        EntryWord::new(pool_id, len, slot).bits()
    }

    /// All parts of a word.
    pub fn parts(bits: u64) -> Parts {
        let word = EntryWord::from_bits(bits);
        Parts {
            pool_id: word.pool_id(),
            len: word.len(),
            device: word.slot().device(),
            offset: word.slot().offset(),
            referenced: word.referenced(),
        }
    }

    /// `EntryWord::without_referenced`
    pub fn without_referenced(bits: u64) -> u64 {
        EntryWord::from_bits(bits).without_referenced().bits()
    }

    /// For each page of a folio, of which some compress, whether it is tried.
    pub fn tried(enabled: bool, compress: &[bool]) -> impl Iterator<Item = bool> + '_ {
        let mut skip = SkipIncompressible::new(enabled);
        compress.iter().map(move |&compresses| {
            let tries = skip.try_next();
            if tries {
                skip.record(compresses);
            }
            tries
        })
    }

    /// A decoded swap-table entry, and encoded again, in the layout with so many bits for page frame numbers.
    pub fn decoded(pfn_bits: u32, raw: usize) -> (&'static str, usize, u8, bool, usize) {
        crate::decoded(pfn_bits, raw)
    }

    /// `window::nr_pages`
    pub fn nr_pages(prev: usize, here: usize, hits: u32, max: u32, last: u32) -> u32 {
        window::nr_pages(prev, here, hits, max, last)
    }

    /// `window::around`, with the VMA and the bytes that a page table maps.
    pub fn around(
        here: usize,
        prev: usize,
        pages: u32,
        vma: Range<usize>,
        table: usize,
    ) -> Range<usize> {
        let first = here & !(table - 1);
        let reach = vma.start.max(first)..vma.end.min(first.wrapping_add(table));
        window::around(here, prev, pages, reach)
    }

    /// `ReadaheadState`: unpacked, with or without a hit at an address, and packed again.
    pub fn noted_hit(word: usize, address: usize, hit: bool) -> usize {
        ReadaheadState::unpack(word).with_hit(address, hit).pack()
    }

    /// `large::orders`, and the facts that it asked for, in order.
    pub fn orders(facts: &Facts, suitable: usize) -> (usize, std::vec::Vec<Asked>) {
        facts::with(facts, || large::orders(Slot(facts), Fault(facts), suitable))
    }

    /// `large::orders_of_file`, with or without a fault, and the facts that it asked for, in order.
    pub fn orders_of_file(
        facts: &Facts,
        fault: bool,
        sequential: bool,
    ) -> (usize, std::vec::Vec<Asked>) {
        facts::with(facts, || {
            large::orders_of_file(Slot(facts), fault.then_some(Fault(facts)), sequential)
        })
    }

    /// `large::largest_fit`
    pub fn largest_fit(address: usize, offset: usize, vma: &Range<usize>) -> u32 {
        large::largest_fit(address, offset, vma)
    }

    /// `large::clip`
    pub fn clip(facts: &Facts, window: Range<usize>) -> Range<usize> {
        facts::with(facts, || large::clip(Slot(facts), Fault(facts), window)).0
    }

    /// `large::room_for`
    pub fn room_for(order: u32) -> usize {
        large::room_for(order)
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
