// SPDX-License-Identifier: GPL-2.0-or-later

//! The core of zswap_rs, without pools: an object is a number. Its device and its lists are not those of zswap.

#[path = "../../../../samples/rust/zswap_rs/core/charge.rs"]
mod charge;
#[path = "../../../../samples/rust/zswap_rs/core/entry.rs"]
mod entry;
#[path = "../../../../samples/rust/zswap_rs/core/entry_word.rs"]
mod entry_word;
#[path = "../../../../samples/rust/zswap_rs/core/free.rs"]
mod free;
#[path = "../../../../samples/rust/zswap_rs/core/index.rs"]
mod index;
#[path = "../../../../samples/rust/zswap_rs/core/lru.rs"]
mod lru;
#[path = "../../../../samples/rust/zswap_rs/core/page_mask.rs"]
mod page_mask;
#[path = "../../../../samples/rust/zswap_rs/core/slots.rs"]
mod slots;
#[path = "../../../../samples/rust/zswap_rs/core/store.rs"]
mod store;

mod object {
    use super::entry_word::EntryWord;
    use kernel::{
        alloc::KBox,
        mm::swapops::SwapEntry,
        page::PAGE_SIZE,
        prelude::*,
        sync::atomic::{ordering::Relaxed, Atomic},
    };

    /// A number, instead of the bytes of a page. Odd ones are incompressible.
    pub(crate) struct Object {
        word: Atomic<u64>,
        number: KBox<u32>,
    }

    impl Object {
        pub(super) fn new(slot: SwapEntry, number: u32) -> Self {
            let len = if number % 2 != 0 {
                PAGE_SIZE
            } else {
                PAGE_SIZE / 2
            };
            Self {
                word: Atomic::new(EntryWord::new(0, len, slot).bits()),
                number: KBox::new(number, GFP_KERNEL).unwrap(),
            }
        }

        pub(super) fn number(&self) -> u32 {
            *self.number
        }

        pub(crate) fn word(&self) -> EntryWord {
            EntryWord::from_bits(self.word.load(Relaxed))
        }

        pub(crate) fn clear_referenced(&self) {
            self.word
                .store(self.word().without_referenced().bits(), Relaxed);
        }

        pub(crate) fn len(&self) -> usize {
            self.word().len()
        }
    }
}

use entry::Entry;
use index::Leaf;
use kernel::{
    alloc::NumaNode,
    bindings::{self, folio, SWAPFILE_CLUSTER_SLOTS},
    c,
    error::Result,
    mm::{call::Call, folio::CachedFolio, swapops::SwapEntry},
    prelude::*,
    shrinker::{Request, Scanned, Shrink, Shrinker},
    slab::Cache,
    sync::{atomic::ordering::Relaxed, SetOnce},
};
use object::Object;
use slots::Slots;
use store::{Group, Store};

/// A device that zswap doesn't know.
pub const DEVICE: usize = 1;

/// The first slot of the folio, which has a cluster's slots.
pub const FIRST: usize = SWAPFILE_CLUSTER_SLOTS;

/// Slots of the folio.
pub const NR: usize = SWAPFILE_CLUSTER_SLOTS;

static CACHE: SetOnce<Cache<Entry>> = SetOnce::new();
static LEAVES: SetOnce<Cache<Leaf>> = SetOnce::new();

struct Pressure;

impl Shrink for Pressure {
    fn count(_: &Request<'_>) -> usize {
        0
    }

    fn scan(_: &Request<'_>, _: &mut usize) -> Scanned {
        Scanned::Refused
    }
}

/// The folio, which is locked by us, and in the swap cache.
#[derive(Clone, Copy)]
pub struct Locked(pub *mut folio);

/// Sets the lists up, and puts the device into use.
pub fn set_up() {
    let shrinker = Shrinker::new::<Pressure>(c"batches").unwrap();
    lru::init(&shrinker).unwrap();
    core::mem::forget(shrinker);
    CACHE.populate(Cache::new(c"batches").unwrap());
    LEAVES.populate(Cache::new(c"batches").unwrap());
    // SAFETY: As swapon does it: the device isn't in use before it is created.
    unsafe { slots::attach(DEVICE as i32, FIRST + NR) }.unwrap();
    bindings::swap_info_struct::create(DEVICE, FIRST + NR);
    assert_eq!(counted(), (0, 0));
}

/// Takes the device out of use, which warns if its trees aren't empty.
pub fn tear_down() {
    // SAFETY: The folio's task has the slots, and doesn't use them any more.
    unsafe { slots::detach(DEVICE as i32) }
}

/// The pages that are counted, and the incompressible ones.
pub fn counted() -> (isize, isize) {
    (
        charge::zswap_stored_pages.load(Relaxed),
        charge::zswap_stored_incompressible_pages.load(Relaxed),
    )
}

/// How many entries are on lists.
pub fn listed() -> usize {
    lru::count(NumaNode::new(0).unwrap(), None)
}

/// Walks over no more than `nr` entries, from the least recently used on. Returns the numbers of those that it has
/// visited, and how many it could have visited besides.
pub fn walk(mut nr: usize) -> (Vec<u32>, usize) {
    let mut numbers = Vec::new();
    lru::walk(NumaNode::new(0).unwrap(), None, &mut nr, |visit| {
        numbers.push(visit.entry().object().number());
        visit.rotate()
    });
    (numbers, nr)
}

/// Added to a page's index: the slot at that offset of another device.
pub const ELSEWHERE: usize = 1 << 40;

/// The slot of page `index` of the folio.
fn slot(index: usize) -> SwapEntry {
    let (device, index) = (DEVICE + index / ELSEWHERE, index % ELSEWHERE);
    // SAFETY: Arithmetic. The number is one that a device could have.
    unsafe { SwapEntry::from_raw(bindings::swp_entry(device, FIRST + index)) }
}

/// Makes entries of these numbers, in what is left of the first group.
fn make(store: &mut Store<'_, '_>, numbers: &[(usize, u32)]) -> Result {
    let lists = lru::prepare(None, GFP_KERNEL).unwrap();
    let Some(nr) = store.next_group(NR) else {
        return Ok(());
    };
    let cache = CACHE.as_ref().unwrap();
    let memory = cache.alloc_bulk(nr, GFP_KERNEL, NumaNode::NO_NODE)?;
    store.fill(
        memory,
        lists,
        LEAVES.as_ref().unwrap(),
        |group: &mut Group<'_, '_>| {
            for &(index, number) in numbers {
                group.push(Object::new(slot(index), number));
            }
            Ok(())
        },
    )
}

impl Locked {
    /// The folio of the device's slots from `FIRST` on.
    pub fn new() -> Self {
        // SAFETY: The folio is new, and stays locked and in the swap cache. Its slots are nobody else's.
        unsafe {
            let entry = bindings::swp_entry(DEVICE, FIRST);
            let folio = bindings::folio_alloc(NR.ilog2());
            c::folio_lock(folio);
            bindings::folio_enter_swapcache(folio, entry);
            Self(folio)
        }
    }

    /// Lends the lock.
    fn with<R>(self, f: impl for<'f> FnOnce(&'f mut CachedFolio<'f>) -> R) -> R {
        let mut call = Call::new();
        // SAFETY: The folio stays locked and in the swap cache. No other task uses its slots: no model calls
        // this from within itself.
        let mut folio = unsafe { CachedFolio::from_raw(self.0, &mut call) };
        f(&mut folio)
    }

    /// Stores a number for each of these pages of the folio, in this order. Returns how many pages are zero-filled.
    pub fn publish(self, numbers: &[(usize, u32)]) -> Result<usize> {
        self.with(|folio| store::store(folio, |store| make(store, numbers)))
    }

    /// As [`publish`](Self::publish), in two parts of one group.
    pub fn publish_in_parts(self, one: &[(usize, u32)], other: &[(usize, u32)]) -> Result<usize> {
        self.with(|folio| {
            store::store(folio, |store| {
                make(store, one)?;
                make(store, other)
            })
        })
    }

    /// Makes entries of these numbers, and gives them up.
    pub fn give_up(self, numbers: &[(usize, u32)]) {
        self.with(|folio| {
            let given_up = store::store(folio, |store| {
                make(store, numbers)?;
                Err(EIO)
            });
            assert_eq!(given_up, Err(EIO));
        })
    }

    /// The numbers that the folio's slots have.
    pub fn numbers(self) -> [Option<u32>; NR] {
        self.with(|folio| {
            core::array::from_fn(|index| {
                let slot = Slots::of_folio(folio).entry(index)?;
                let number = slot.get().object().number();
                Some(number)
            })
        })
    }

    /// Frees all slots.
    pub fn free(self) {
        let call = Call::new();
        // SAFETY: The folio is locked, and no witness is in use for it.
        unsafe { Slots::freed(slot(0).as_raw(), NR, &call) }.clear(|_| ());
    }
}
